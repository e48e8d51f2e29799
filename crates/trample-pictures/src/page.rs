//! Pages: one HTML file that needs nothing else.
//!
//! What a page holds is written with [`maud::html!`], which escapes all text; the pieces here are what such pages share.

use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A page as one string: heading, a line under it, the body, the last line. Pictures are part of the file, and there is no script.
pub fn page(title: &str, subtitle: &str, body: &Markup, footer: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    header {
                        h1 { (title) }
                        @if !subtitle.is_empty() { p.sub { (subtitle) } }
                    }
                    (body)
                    footer { (footer) }
                }
            }
        }
    };
    // Control characters are not allowed in HTML at all.
    page.into_string().replace(|c: char| c.is_control() && c != '\n' && c != '\t', "\u{fffd}")
}

/// A PNG with what there is to see on it, which is also read aloud in its place.
pub fn figure(png: &[u8], caption: &str) -> Markup {
    let data = base64::engine::general_purpose::STANDARD.encode(png);
    html! { figure { img alt=(caption) src={ "data:image/png;base64," (data) }; (captioned(caption)) } }
}

/// A drawing put into the page as it is; it must come from this program.
pub fn drawing(svg: &str, caption: &str) -> Markup {
    html! { figure { (PreEscaped(svg)) (captioned(caption)) } }
}

fn captioned(caption: &str) -> Markup {
    html! { @if !caption.is_empty() { figcaption { (caption) } } }
}

/// Numbers that matter: what each is, the number, and its unit, which may be empty.
pub fn cards(cards: &[(&str, String, &str)]) -> Markup {
    html! {
        div.cards {
            @for (label, value, unit) in cards {
                div.card {
                    div.label { (label) }
                    div.value { (value) @if !unit.is_empty() { span.unit { (unit) } } }
                }
            }
        }
    }
}

/// A table that scrolls on its own where the page is narrow. Columns whose every cell is a number are set flush right, and verdicts
/// are seen at a glance.
pub fn table<S: AsRef<str>>(head: &[S], rows: &[Vec<String>]) -> Markup {
    let numbers = |c: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(c)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| numeric(cell))
    };
    let flush: Vec<bool> =
        (0..rows.iter().map(Vec::len).max().unwrap_or(0).max(head.len())).map(numbers).collect();
    let class = |c: usize, text: &str| match text {
        "agrees" => Some("agrees"),
        "differs" => Some("differs"),
        _ => flush[c].then_some("n"),
    };
    html! {
        div.scroll {
            table {
                @if !head.is_empty() {
                    tr { @for (c, name) in head.iter().enumerate() { th class=[class(c, "")] { (name.as_ref()) } } }
                }
                @for row in rows {
                    tr { @for (c, cell) in row.iter().enumerate() { td class=[class(c, cell)] { (cell) } } }
                }
            }
        }
    }
}

/// Whether a cell reads as a number, perhaps with spaces between thousands, a real minus or a per cent sign.
fn numeric(cell: &str) -> bool {
    let plain: String = cell
        .trim_end_matches(['%', ' ', '\u{a0}', '\u{202f}'])
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| if c == '−' { '-' } else { c })
        .collect();
    plain == "–" || plain.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> String {
        let body = html! {
            (figure(&[1, 2, 3], "a \" onload=\"b"))
            (cards(&[("depth", "11".into(), "mm")]))
            (table(&["a", "b"], &[vec!["<i>".into(), "−1 200.5".into()], vec!["agrees".into()]]))
            (table::<&str>(&[], &[]))
        };
        page("<script>alert('x')</script> & Düne", "\"quoted\" \u{7}", &body, "made by trample")
    }

    #[test]
    fn every_text_is_escaped() {
        let page = example();
        assert!(!page.contains("<script") && !page.contains("<i>") && !page.contains("\" onload=\""));
        assert!(page.contains("&lt;script&gt;") && page.contains("Düne") && page.contains("\u{fffd}"));
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = example();
        assert!(!page.contains("http") && !page.contains("url(") && !page.contains("<link"));
        assert!(page.contains("data:image/png;base64,AQID"));
    }

    #[test]
    fn columns_of_numbers_are_flush_right_and_verdicts_have_their_colour() {
        let page = example();
        assert!(page.contains("<td class=\"n\">−1 200.5</td>") && page.contains("<td>&lt;i&gt;</td>"));
        assert!(page.contains("<td class=\"agrees\">agrees</td>"));
        assert!(numeric("12 %") && numeric("1e-3") && !numeric("") && !numeric("3 m"));
    }

    #[test]
    fn an_empty_report_is_still_a_page() {
        assert!(page("", "", &html! {}, "").ends_with("</html>"));
    }
}
