//! The report of a run: one HTML file that needs nothing else.

use base64::Engine as _;
use std::fmt::Write as _;

/// A report, shown from top to bottom.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// The heading and the name of the page.
    pub(crate) title: String,
    /// One line under the heading.
    pub(crate) subtitle: String,
    /// The picture that comes first.
    pub(crate) hero: Option<Picture>,
    /// Everything else.
    pub(crate) sections: Vec<Section>,
    /// The last line: who made this, with what.
    pub(crate) footer: String,
}

/// A part of a report with a heading of its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Section {
    /// The heading; none when empty.
    pub(crate) heading: String,
    /// What it holds.
    pub(crate) blocks: Vec<Block>,
}

/// A PNG with what there is to see on it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Picture {
    /// The file.
    pub(crate) png: Vec<u8>,
    /// The caption, also read aloud in place of the picture.
    pub(crate) caption: String,
}

/// One number that matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Card {
    /// What it is.
    pub(crate) label: String,
    /// The number.
    pub(crate) value: String,
    /// Its unit; may be empty.
    pub(crate) unit: String,
}

/// A piece of a section.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A text whose lines and spaces count, as a file's.
    Code(String),
    /// Pictures side by side where there is room.
    Gallery(Vec<Picture>),
    /// A drawing as `plot` makes it, put into the page as it is; it must come from this program.
    Svg {
        /// The drawing.
        svg: String,
        /// The caption.
        caption: String,
    },
    /// Key figures.
    Cards(Vec<Card>),
    /// A table; columns whose every cell is a number are set flush right.
    Table {
        /// Names of the columns; none when empty.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A paragraph.
    Text(String),
}

const CSS: &str = "\
:root{color-scheme:light dark;--ink:#1f242b;--soft:#5c646e;--hair:#dcdfe3;--page:#fcfcfb;--card:#f3f4f4;--mark:#2f6f9f}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ec;--soft:#9aa3ad;--hair:#32383f;--page:#15181c;--card:#1e2227;--mark:#7db6dd}}
*{box-sizing:border-box}
pre{background:var(--card);padding:1rem;overflow-x:auto;font-size:.85rem;line-height:1.45;border-radius:6px}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Ubuntu,Cantarell,'Noto Sans',sans-serif}
main{max-width:1120px;margin:0 auto;padding:clamp(20px,4vw,48px)}
header{margin-bottom:1.6rem}
h1{font-size:clamp(1.6rem,3.6vw,2.3rem);line-height:1.2;font-weight:600;letter-spacing:-.015em;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;font-weight:600;letter-spacing:-.01em;margin:2.8rem 0 1rem;padding-top:1rem;border-top:1px solid var(--hair)}
p{margin:.7rem 0;max-width:72ch}
.sub,figcaption,footer,.label{color:var(--soft)}
.sub{margin:0;font-size:1.05rem}
figure{margin:1.2rem 0}
figure img,figure svg{display:block;max-width:100%;height:auto;border-radius:8px}
figure img{width:100%;border:1px solid var(--hair);background:#fcfcfb}
figure svg{margin:0 auto;width:100%;max-width:920px}
figcaption{font-size:.9rem;margin-top:.5rem;max-width:80ch}
.gallery{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:1.2rem;align-items:start}
.gallery figure{margin:0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:.8rem;margin:1.2rem 0}
.card{background:var(--card);border-radius:10px;padding:.85rem 1rem}
.label{font-size:.85rem;line-height:1.3}
.value{font-size:1.55rem;font-weight:600;font-variant-numeric:tabular-nums;letter-spacing:-.01em;overflow-wrap:anywhere}
.unit{font-size:.95rem;font-weight:400;color:var(--soft);margin-left:.25em}
.scroll{overflow-x:auto;margin:1.2rem 0}
table{border-collapse:collapse;font-size:.94rem;min-width:min(100%,420px)}
th,td{text-align:left;padding:.42rem 1.4rem .42rem 0;border-bottom:1px solid var(--hair);vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:.86rem}
.agrees{color:#2e7d4f;font-weight:600}.differs{color:#b3452f;font-weight:600}
@media(prefers-color-scheme:dark){.agrees{color:#7fcf9f}.differs{color:#f09a84}}
.n{text-align:right;font-variant-numeric:tabular-nums}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--hair);font-size:.85rem}
@media print{main{max-width:none;padding:0}figure,.card,tr{break-inside:avoid}}
";

impl Report {
    /// The page as one string. All text is escaped, pictures are part of the file, and there is no script.
    pub(crate) fn to_html(&self) -> String {
        let mut page = String::new();
        let title = escape(&self.title);
        page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
        // Writing to a String cannot fail, so the results below carry nothing.
        let _ = write!(page, "<title>{title}</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n<main>\n");
        let _ = writeln!(page, "<header>\n<h1>{title}</h1>");
        if !self.subtitle.is_empty() {
            let _ = writeln!(page, "<p class=\"sub\">{}</p>", escape(&self.subtitle));
        }
        page.push_str("</header>\n");
        if let Some(hero) = &self.hero {
            picture(&mut page, hero);
        }
        for section in &self.sections {
            page.push_str("<section>\n");
            if !section.heading.is_empty() {
                let _ = writeln!(page, "<h2>{}</h2>", escape(&section.heading));
            }
            for part in &section.blocks {
                block(&mut page, part);
            }
            page.push_str("</section>\n");
        }
        if !self.footer.is_empty() {
            let _ = writeln!(page, "<footer>{}</footer>", escape(&self.footer));
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }
}

/// Text that is only text, in elements and in quoted attributes.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Control characters are not allowed in HTML at all.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A picture with its caption.
fn picture(page: &mut String, picture: &Picture) {
    let caption = escape(&picture.caption);
    let _ = write!(page, "<figure><img alt=\"{caption}\" src=\"data:image/png;base64,");
    base64::engine::general_purpose::STANDARD.encode_string(&picture.png, page);
    page.push_str("\">");
    finish(page, &caption);
}

/// The end of a figure.
fn finish(page: &mut String, caption: &str) {
    if !caption.is_empty() {
        let _ = write!(page, "<figcaption>{caption}</figcaption>");
    }
    page.push_str("</figure>\n");
}

/// One piece of a section.
fn block(page: &mut String, part: &Block) {
    match part {
        Block::Code(text) => {
            let _ = writeln!(page, "<pre>{}</pre>", escape(text));
        }
        Block::Gallery(several) => {
            page.push_str("<div class=\"gallery\">\n");
            several.iter().for_each(|one| picture(page, one));
            page.push_str("</div>\n");
        }
        Block::Svg { svg, caption } => {
            page.push_str("<figure>");
            page.push_str(svg);
            finish(page, &escape(caption));
        }
        Block::Cards(cards) => {
            page.push_str("<div class=\"cards\">\n");
            for card in cards {
                let _ =
                    write!(page, "<div class=\"card\"><div class=\"label\">{}</div>", escape(&card.label));
                let _ = write!(page, "<div class=\"value\">{}", escape(&card.value));
                if !card.unit.is_empty() {
                    let _ = write!(page, "<span class=\"unit\">{}</span>", escape(&card.unit));
                }
                page.push_str("</div></div>\n");
            }
            page.push_str("</div>\n");
        }
        Block::Table { head, rows } => table(page, head, rows),
        Block::Text(text) => {
            let _ = writeln!(page, "<p>{}</p>", escape(text));
        }
    }
}

/// A table that scrolls on its own where the page is narrow.
fn table(page: &mut String, head: &[String], rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).chain([head.len()]).max().unwrap_or(0);
    let class: Vec<&str> = (0..columns)
        .map(|c| {
            let mut cells =
                rows.iter().filter_map(|row| row.get(c)).filter(|cell| !cell.is_empty()).peekable();
            if cells.peek().is_some() && cells.all(|cell| numeric(cell)) { " class=\"n\"" } else { "" }
        })
        .collect();
    page.push_str("<div class=\"scroll\"><table>\n");
    let mut line = |tag: &str, cells: &[String]| {
        page.push_str("<tr>");
        for c in 0..columns {
            let text = cells.get(c).map_or_else(String::new, |cell| escape(cell));
            // Verdicts are seen at a glance.
            let own = match text.as_str() {
                "agrees" => " class=\"agrees\"",
                "differs" => " class=\"differs\"",
                _ => class[c],
            };
            let _ = write!(page, "<{tag}{own}>{text}</{tag}>");
        }
        page.push_str("</tr>\n");
    };
    if !head.is_empty() {
        line("th", head);
    }
    rows.iter().for_each(|row| line("td", row));
    page.push_str("</table></div>\n");
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

    fn report() -> Report {
        Report {
            title: "<script>alert('x')</script> & Düne".into(),
            subtitle: "\"quoted\"".into(),
            hero: Some(Picture { png: vec![1, 2, 3], caption: "a \" onload=\"b".into() }),
            sections: vec![Section {
                heading: "Parts < whole".into(),
                blocks: vec![
                    Block::Text("1 < 2".into()),
                    Block::Gallery(vec![Picture::default()]),
                    Block::Cards(vec![Card { label: "depth".into(), value: "11".into(), unit: "mm".into() }]),
                    Block::Table {
                        head: vec!["a".into(), "b".into()],
                        rows: vec![vec!["<i>".into(), "−1 200.5".into()]],
                    },
                    Block::Table { head: vec![], rows: vec![] },
                ],
            }],
            footer: "made by trample".into(),
        }
    }

    #[test]
    fn every_text_is_escaped() {
        let page = report().to_html();
        assert!(!page.contains("<script") && !page.contains("<i>") && !page.contains("\" onload=\""));
        assert!(page.contains("&lt;script&gt;") && page.contains("Düne"));
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = report().to_html();
        assert!(!page.contains("http") && !page.contains("url(") && !page.contains("<link"));
        assert!(page.contains("data:image/png;base64,AQID"));
    }

    #[test]
    fn columns_of_numbers_are_flush_right() {
        let page = report().to_html();
        assert!(page.contains("<td class=\"n\">−1 200.5</td>") && page.contains("<td>&lt;i&gt;</td>"));
        assert!(numeric("12 %") && numeric("1e-3") && !numeric("") && !numeric("3 m"));
    }

    #[test]
    fn an_empty_report_is_still_a_page() {
        assert!(Report::default().to_html().ends_with("</html>\n"));
    }
}
