use super::*;
use crate::catalogue;

#[test]
fn every_catalogue_wavelet_is_read_back_in_every_form() {
    for name in catalogue::names() {
        let wavelet = catalogue::wavelet(name).unwrap();
        for form in Form::ALL {
            let Ok(text) = to_toml(&wavelet, form) else {
                println!("{name} no {form}");
                continue;
            };
            let back = match parse(&text, "?") {
                Ok(b) => b,
                Err(e) => {
                    println!("{name} {form} {e}\n{text}");
                    continue;
                }
            };
            let (l, r) = (wavelet.bank(), back.bank());
            let d = l
                .analysis_polyphase()
                .distance(&r.analysis_polyphase())
                .max(l.synthesis_polyphase().distance(&r.synthesis_polyphase()));
            if l.length() != r.length()
                || d > 1e-15
                || wavelet.options() != back.options()
                || wavelet.properties().reconstruction != back.properties().reconstruction
            {
                println!(
                    "{name} {form} {} {} {d:e} {:?} {:?}",
                    l.length(),
                    r.length(),
                    wavelet.properties().reconstruction,
                    back.properties().reconstruction
                );
            }
        }
    }
}
