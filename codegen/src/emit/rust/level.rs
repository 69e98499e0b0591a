//! One level of a separable transform: axis after axis, each pass reading one array and writing two.

use super::ident;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// `analyse_level` and `synthesise_level`, visiting the axes in `order`.
pub(super) fn items(axes: usize, order: &[usize]) -> TokenStream {
    let walk = Walk { axes, order };
    let bands: Vec<Ident> = (0..1 << axes).map(band).collect();
    let (mut split, mut join) = (Vec::new(), Vec::new());
    walk.split(0, 0, &ident("signal"), &mut split);
    walk.join(0, 0, &ident("signal"), &mut join);
    let binding = stage_binding(axes);
    quote! {
        /// Splits the signal of a level into its bands.
        fn analyse_level<K: Kernel>(
            work: &mut Work<impl Memory>,
            axes: &[Axis; AXES],
            signal: &[Sample],
            bands: [&mut [Sample]; CHANNELS],
        ) {
            let Work { planes, stages } = work;
            let [#(#bands),*] = bands;
            #binding
            #(#split)*
        }

        /// Joins the bands of a level.
        fn synthesise_level<K: Kernel>(
            work: &mut Work<impl Memory>,
            axes: &[Axis; AXES],
            bands: [&[Sample]; CHANNELS],
            signal: &mut [Sample],
        ) {
            let Work { planes, stages } = work;
            let [#(#bands),*] = bands;
            #binding
            #(#join)*
        }
    }
}

/// `let [[low0, high0], [low1, high1]] = stages;`, empty for one axis.
fn stage_binding(axes: usize) -> TokenStream {
    let stages = (0..axes.saturating_sub(1)).map(|depth| {
        let (low, high) = halves(depth);
        quote!([#low, #high])
    });
    quote!(let [#(#stages),*] = stages;)
}

fn band(channel: usize) -> Ident {
    ident(&format!("band{channel}"))
}

fn halves(depth: usize) -> (Ident, Ident) {
    (ident(&format!("low{depth}")), ident(&format!("high{depth}")))
}

struct Walk<'a> {
    axes: usize,
    order: &'a [usize],
}

impl Walk<'_> {
    /// The extent of `axis` once the first `depth` axes are split, `channel` telling into which half.
    fn extent(&self, axis: usize, depth: usize, channel: usize) -> TokenStream {
        let visited = self.order[..depth].contains(&axis);
        let high = channel >> (self.axes - 1 - axis) & 1 == 1;
        let axis = Literal::usize_unsuffixed(axis);
        match (visited, high) {
            (false, _) => quote!(axes[#axis].signal),
            (true, false) => quote!(axes[#axis].low),
            (true, true) => quote!(axes[#axis].high),
        }
    }

    fn product(
        &self,
        axes: impl Iterator<Item = usize>,
        depth: usize,
        channel: usize,
    ) -> TokenStream {
        let extents = axes.map(|axis| self.extent(axis, depth, channel));
        extents.reduce(|product, one| quote!(#product * #one)).unwrap_or_else(|| quote!(1))
    }

    /// The names of the two halves of `channel` after `depth + 1` axes, and the statements that cut
    /// them out of the stage's memory.
    fn parts(&self, depth: usize, channel: usize) -> (Ident, Ident, TokenStream) {
        let bit = 1 << (self.axes - 1 - self.order[depth]);
        if depth + 1 == self.axes {
            return (band(channel), band(channel | bit), TokenStream::new());
        }
        let (low, high) = halves(depth);
        let (low_part, high_part) =
            (ident(&format!("low{depth}_{channel}")), ident(&format!("high{depth}_{channel}")));
        let len = |channel: usize| self.product(0..self.axes, depth + 1, channel);
        let (low_len, high_len) = (len(channel), len(channel | bit));
        let cut = quote! {
            let #low_part = &mut #low[..#low_len];
            let #high_part = &mut #high[..#high_len];
        };
        (low_part, high_part, cut)
    }

    /// `outer` and `lanes` of a pass.
    fn sizes(&self, depth: usize, channel: usize) -> (TokenStream, TokenStream) {
        let axis = self.order[depth];
        (self.product(0..axis, depth, channel), self.product(axis + 1..self.axes, depth, channel))
    }

    fn split(&self, depth: usize, channel: usize, input: &Ident, out: &mut Vec<TokenStream>) {
        let (low, high, cut) = self.parts(depth, channel);
        let (outer, lanes) = self.sizes(depth, channel);
        let axis = Literal::usize_unsuffixed(self.order[depth]);
        out.push(quote! {
            #cut
            analyse_axis::<K>(planes, &axes[#axis], #outer, #lanes, #input, #low, #high);
        });
        if depth + 1 < self.axes {
            let bit = 1 << (self.axes - 1 - self.order[depth]);
            self.split(depth + 1, channel, &low, out);
            self.split(depth + 1, channel | bit, &high, out);
        }
    }

    fn join(&self, depth: usize, channel: usize, output: &Ident, out: &mut Vec<TokenStream>) {
        let (low, high, cut) = self.parts(depth, channel);
        let (outer, lanes) = self.sizes(depth, channel);
        let axis = Literal::usize_unsuffixed(self.order[depth]);
        out.push(cut);
        if depth + 1 < self.axes {
            let bit = 1 << (self.axes - 1 - self.order[depth]);
            self.join(depth + 1, channel, &low, out);
            self.join(depth + 1, channel | bit, &high, out);
        }
        out.push(quote! {
            synthesise_axis::<K>(planes, &axes[#axis], #outer, #lanes, #low, #high, #output);
        });
    }
}
