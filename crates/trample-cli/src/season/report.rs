//! The page of a season: a slider over its days, figures, trail, plots.

use crate::Failure;
use base64::Engine as _;
use maud::{Markup, PreEscaped, html};
use serde_json::Value;
use std::path::Path;
use trample_files::Source;
use trample_lab::save;
use trample_pictures::{Series, cards, drawing, page, plot_lines, table};
use trample_season::Run;
use trample_season::measure::Station;

/// Shows the frame that the slider stands at.
const SCRIPT: &str = "const f=document.querySelectorAll('.days img'),s=document.getElementById('day'),o=document.getElementById('which');\
function show(){f.forEach((x,i)=>x.style.display=i==s.value?'block':'none');o.textContent=f[s.value].alt}s.oninput=show;show();\
let t=null;document.getElementById('play').onclick=()=>{if(t){clearInterval(t);t=null;return}if(+s.value>=f.length-1)s.value=0;t=setInterval(()=>{\
if(+s.value>=f.length-1){clearInterval(t);t=null;return}s.value=+s.value+1;show()},120)};";

/// Writes `report.html`.
pub(crate) fn write(
    folder: &Path,
    run: &Run,
    source: &Source,
    summary: &Value,
    lines: &[(String, Vec<[f64; 2]>)],
    stations: &[Station],
    frames: &[(i64, Vec<u8>)],
) -> Result<(), Failure> {
    let number = |path: &str| summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    let key_figures = [
        ("Days", summary["days"].to_string(), ""),
        ("Walks", summary["walked"].to_string(), ""),
        ("Footfalls", summary["footfalls"].to_string(), ""),
        ("Trail", format!("{:.0}", number("/trail/length_m")), "m"),
        ("Mean width", format!("{:.2}", number("/trail/mean_width_m")), "m"),
        ("Largest incision", format!("{:.0}", 1e3 * number("/trail/max_incision_m")), "mm"),
        ("Bare ground", format!("{:.1}", number("/trail/bare_m2")), "m²"),
        ("Cover on the trail", format!("{:.0}", 100.0 * number("/trail/cover")), "%"),
        (
            "Detour",
            if run.season().trips.is_empty() { "–".into() } else { format!("{:.3}", number("/detour")) },
            "",
        ),
        ("Not walked", summary["not_walked"].to_string(), ""),
    ];
    let body = html! {
        section { (slider(run, frames)) }
        section { h2 { "Figures" } (cards(&key_figures)) }
        section { h2 { "The trail" } (along(lines, stations)?) }
        section { h2 { "Visitors" } (walkers(run)) (drawing(&by_day(run)?, "Footfalls by day.")) }
        section { h2 { "The scene" } pre { (source.text) } @if !source.settings.is_empty() { p { "Settings: " (source.settings.join(", ")) } } }
    };
    let scene = run.ground.scene();
    let footer = format!("trample season, hash {}", summary["hash"].as_str().unwrap_or_default());
    save(&folder.join("report.html"), page(&scene.name, &scene.about, &body, &footer).as_bytes())
}

/// Pictures of days under a slider.
fn slider(run: &Run, frames: &[(i64, Vec<u8>)]) -> Markup {
    let data = |png: &[u8]| base64::engine::general_purpose::STANDARD.encode(png);
    html! {
        figure.days {
            @for (i, (day, png)) in frames.iter().enumerate() {
                img style=(if i + 1 < frames.len() { "display:none" } else { "display:block" }) alt=(format!("day {day}, {}", run.date(day - 1))) src={ "data:image/png;base64," (data(png)) };
            }
            figcaption {
                button id="play" type="button" { "play" } " "
                input id="day" type="range" min="0" max=(frames.len().saturating_sub(1)) value=(frames.len().saturating_sub(1)) style="width:60%" aria-label="day";
                " " span id="which" { }
            }
        }
        script { (PreEscaped(SCRIPT)) }
    }
}

/// Width, incision and cover along the longest line, and a table of all.
pub(crate) fn along(lines: &[(String, Vec<[f64; 2]>)], stations: &[Station]) -> Result<Markup, Failure> {
    let of = |i: usize| stations.iter().filter(move |s| s.line == i);
    let longest = (0..lines.len()).max_by_key(|&i| of(i).count());
    // Pieces of one trip have its name: they are counted.
    let again = |i: usize| lines.iter().filter(|l| l.0 == lines[i].0).count() > 1;
    let number = |i: usize| lines[..=i].iter().filter(|l| l.0 == lines[i].0).count();
    let name =
        |i: usize| if again(i) { format!("{} · {}", lines[i].0, number(i)) } else { lines[i].0.clone() };
    let named: Vec<String> = (0..lines.len()).map(name).collect();
    let mut plots = Vec::new();
    if let Some(i) = longest.filter(|&i| of(i).count() > 1) {
        let series = |name: &str, f: fn(&Station) -> f64| Series {
            name: name.into(),
            x: of(i).map(|s| s.along_m).collect(),
            y: of(i).map(f).collect(),
        };
        // One plot each: their units have nothing in common.
        for one in [
            series("width, m", |s| s.width_m),
            series("incision, mm", |s| 1e3 * s.incision_m),
            series("cover, %", |s| 100.0 * s.cover),
        ] {
            let (title, axis) = (format!("Along {}", named[i]), one.name.clone());
            plots.push(plot_lines(&[one], &title, "metres along", &axis)?.svg);
        }
    }
    let rows: Vec<Vec<String>> = (0..lines.len())
        .map(|i| {
            let there: Vec<&Station> = of(i).filter(|s| s.width_m > 0.0).collect();
            let mean = |f: fn(&Station) -> f64| {
                there.iter().map(|s| f(s)).sum::<f64>() / there.len().max(1) as f64 + 0.0
            };
            vec![
                named[i].clone(),
                there.len().to_string(),
                format!("{:.2}", mean(|s| s.width_m)),
                format!("{:.1}", 1e3 * mean(|s| s.incision_m)),
                format!("{:.0}", 1e4 * mean(|s| s.area_loss_m2)),
                format!("{:.0}", 100.0 * mean(|s| s.cover)),
                format!("{:.1}", mean(|s| s.trail_slope_deg)),
            ]
        })
        .collect();
    let head = ["line", "stations", "width, m", "incision, mm", "area lost, cm²", "cover, %", "slope, °"];
    Ok(
        html! { @for svg in &plots { (drawing(svg, "Cross-sections along the longest line.")) } (table(&head, &rows)) },
    )
}

fn walkers(run: &Run) -> Markup {
    let rows: Vec<Vec<String>> = run
        .groups()
        .iter()
        .enumerate()
        .map(|(g, name)| {
            let sum =
                |f: &dyn Fn(&(u64, u64, f64)) -> f64| run.rows.iter().map(|r| f(&r.groups[g])).sum::<f64>();
            let (came, not) = (sum(&|g| g.0 as f64), sum(&|g| g.1 as f64));
            vec![
                name.clone(),
                format!("{:.0}", came - not),
                format!("{not:.0}"),
                format!("{:.1}", sum(&|g| g.2) / 1e3),
            ]
        })
        .collect();
    table(&["who", "walks", "not walked", "kilometres"], &rows)
}

fn by_day(run: &Run) -> Result<String, Failure> {
    let series = Series {
        name: "footfalls".into(),
        x: run.rows.iter().map(|r| r.day as f64 + 1.0).collect(),
        y: run.rows.iter().map(|r| r.footfalls as f64).collect(),
    };
    Ok(plot_lines(&[series], "Footfalls by day", "day", "footfalls")?.svg)
}
