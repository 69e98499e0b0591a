//! Expansions as text; what the compiler says of errors is tested with the compiler.

use crate::expand::expand;
use quote::quote;
use syn::parse::Parser;

/// The messages of all `compile_error!`s of an expansion.
fn errors(expansion: proc_macro2::TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expansion).unwrap();
    let macros = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(item) => Some(item.mac),
        _ => None,
    });
    let message = |mac: syn::Macro| {
        let text = |input: syn::parse::ParseStream| input.parse::<syn::LitStr>();
        text.parse2(mac.tokens).unwrap().value()
    };
    macros.map(message).collect()
}

#[test]
fn a_file_s_problems_come_with_their_lines() {
    let expansion = expand(quote! {
        struct A;
        file: "tests/files/broken.toml",
    });
    let errors = errors(expansion);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("tests/files/broken.toml, line 5: lifting.steps[0].taps[1]: "));
    assert!(errors[1].starts_with("tests/files/broken.toml, line 6: lifting.steps[1].target: "));
}

#[test]
fn a_file_is_watched_and_named_in_the_code() {
    let expansion = expand(quote! {
        /// Mine.
        pub(crate) struct Mine;
        file: "tests/files/haar.toml",
        element: f64,
        views: false,
    });
    let file: syn::File = syn::parse2(expansion).unwrap();
    let text = quote!(#file).to_string();
    assert!(text.contains("include_bytes !"));
    assert!(
        text.contains("waveloom emit tests/files/haar.toml --scheme convolution --target rust")
    );
    assert!(text.contains("pub (crate) struct Mine {"));
    assert!(text.contains("= \" Mine.\""));
    assert!(!text.contains("ndarray"));
    for name in ["MineBand", "MineError", "__waveloom_mine"] {
        assert!(text.contains(name), "{name}");
    }
}

#[test]
fn equal_inputs_give_equal_code() {
    let input = || {
        quote! {
            struct A;
            wavelet: "bior4.4",
            dims: 2,
            levels: 2,
        }
    };
    assert_eq!(expand(input()).to_string(), expand(input()).to_string());
    let spelled = quote! {
        struct A;
        wavelet: "bior4.4",
        dims: 2,
        levels: 2,
        mode: "symmetric",
        element: f32,
        scheme: "separable-convolution",
        views: true,
    };
    assert_eq!(expand(spelled).to_string(), expand(input()).to_string());
}

#[test]
fn a_definition_in_place_equals_its_file() {
    let in_place = expand(quote! {
        struct A;
        definition: {
            lifting: { steps: [
                { target: "odd", taps: [-1] },
                { target: "even", taps = [1/2] },
            ] },
        },
    });
    let text = expand(quote! {
        struct A;
        definition: "[lifting]\nsteps = [{ target = 'odd', taps = [-1] }, { target = 'even', taps = ['1/2'] }]",
    });
    assert_eq!(in_place.to_string(), text.to_string());
}

#[test]
fn cuda_is_carried_as_text() {
    let expansion = expand(quote! {
        /// Mine.
        pub struct Mine;
        file: "tests/files/haar.toml",
        target: cuda,
        dims: 2,
        strategy: "trapezoid-split",
        levels: 4,
    });
    let file: syn::File = syn::parse2(expansion).unwrap();
    let text = quote!(#file).to_string();
    assert!(text.contains("include_bytes !"));
    assert!(
        text.contains(
            "waveloom emit tests/files/haar.toml --scheme separable-lifting --target cuda"
        )
    );
    assert!(text.contains("--strategy trapezoid-split"));
    assert!(text.contains("levels : 4usize"), "{text}");
    for name in ["pub struct Mine ;", "pub const SOURCE", "__global__", "pub fn plan"] {
        assert!(text.contains(name), "{name}");
    }
}
