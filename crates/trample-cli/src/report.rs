//! The report of a run: one page with its figures, maps, cuts, plots, ledger and parameters.

use crate::Failure;
use maud::{Markup, html};
use serde_json::Value;
use trample::{Material, Stage, World};
use trample_files::Source;
use trample_lab::{Figures, cover, tread};
use trample_pictures::{Series, cards, drawing, figure, page, plot_lines, plot_profile, table};

/// What the report is made of.
pub(crate) struct RunReport<'a> {
    pub(crate) world: &'a World,
    pub(crate) source: &'a Source,
    pub(crate) figures: &'a Figures,
    pub(crate) summary: &'a Value,
    /// Pictures in 3-D that come first, as PNG, with captions that say who drew them.
    pub(crate) first: Vec<(Vec<u8>, String)>,
    /// The whole terrain as PNG, where the other pictures show a part.
    pub(crate) overview: Option<Vec<u8>>,
    /// Maps as PNG, with their captions.
    pub(crate) gallery: Vec<(Vec<u8>, String)>,
    pub(crate) cuts: Cuts,
}

/// Cuts through the place that lies furthest below where it was.
pub(crate) struct Cuts {
    /// Along the print and across it, as SVG.
    pub(crate) drawn: [String; 2],
    /// How far its cell lies below, m.
    pub(crate) below: f64,
}

impl RunReport<'_> {
    /// The page.
    pub(crate) fn html(&self) -> Result<String, Failure> {
        let scene = self.world.scene();
        let number = |path: &str| self.summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
        let mut key_figures = vec![
            ("Pressed down at most", format!("{:.1}", 1e3 * number("/depth_m/max")), "mm"),
            ("Highest bump", format!("{:.1}", 1e3 * number("/bump_m/max")), "mm"),
            ("Footsteps", self.summary["footsteps"].to_string(), ""),
            ("Contact area", format!("{:.0}", 1e4 * number("/contact_area_m2/mean")), "cm²"),
            ("Mean pressure", format!("{:.1}", 1e-3 * number("/pressure_pa/mean")), "kPa"),
            ("Largest force", format!("{:.0}", number("/force_n/max")), "N"),
            ("Volume error", format!("{:.1e}", number("/volume/relative_error")), ""),
        ];
        // Of plants and the trail through them: what is left, and how wide and deep it lies.
        let patches = self.summary["cover"].as_object();
        let covers = patches.into_iter().flatten().filter_map(|(_, p)| p["trodden"]["cover"].as_f64());
        if let Some(least) = covers.reduce(f64::min) {
            key_figures.push(("Cover where trodden", format!("{:.0}", 100.0 * least), "%"));
            key_figures.push((
                "Width of the tread",
                format!("{:.0}", 100.0 * number("/tread/width_m")),
                "cm",
            ));
            key_figures.push((
                "Mean incision",
                format!("{:.1}", 1e3 * number("/tread/incision_mean_m")),
                "mm",
            ));
        }
        let cover = &self.figures.cover;
        let chart = if cover.is_empty() { None } else { Some(cover::chart(self.world, cover)?) };
        let body = html! {
            @for (png, caption) in &self.first { (figure(png, caption)) }
            section { h2 { "Figures" } (cards(&key_figures)) }
            @if scene.puppets.len() > 1 { section { h2 { "Bodies" } (self.bodies()) } }
            @if let Some(png) = &self.overview {
                section {
                    h2 { "The whole terrain" }
                    (figure(png, "Changed ground; the frame is the area of the maps."))
                }
            }
            section {
                h2 { "Maps" }
                div.gallery { @for (png, caption) in &self.gallery { (figure(png, caption)) } }
            }
            section {
                h2 { "The deepest print" }
                p {
                    (format!(
                        "Cut where the ground lies lowest now: {:.1} mm below where it was, as the mean of a cell with what lies loose on it. Under \
                         the soles themselves it was pressed down by {:.1} mm at most.",
                        1e3 * self.cuts.below,
                        1e3 * number("/depth_m/max")
                    ))
                }
                (drawing(&self.cuts.drawn[0], "From heel to toe."))
                (drawing(&self.cuts.drawn[1], "From side to side."))
            }
            @if let Some(chart) = chart {
                section {
                    h2 { "Plants against passes" }
                    (drawing(&chart.svg, "Share of stem joints still connected to the root."))
                    @if let Some(section) = self.section()? {
                        (drawing(&section, "Mean cross-section of the trodden ground: height relative to the original surface."))
                    }
                }
            }
            section { h2 { "Over time" } (self.plots()?) }
            section { h2 { "Volume ledger" } (self.ledger()) }
            section { h2 { "Parameters" } (self.parameters()) }
            section { h2 { "Timings" } (self.timings()) }
        };
        let (version, hash) = (crate::provenance::VERSION, self.summary["hash"].as_str().unwrap_or_default());
        let footer = format!("trample {version} · seed {} · state hash {hash}", scene.seed);
        Ok(page(&scene.name, &scene.about, &body, &footer))
    }

    fn bodies(&self) -> Markup {
        let head = [
            "body",
            "mass, kg",
            "steps",
            "deepest, mm",
            "mean depth, mm",
            "contact, cm²",
            "pressure, kPa",
            "force, N",
        ];
        let rows = self.world.scene().puppets.iter().zip(&self.figures.puppets).map(|(spec, t)| {
            vec![
                spec.name.clone(),
                spec.body.mass.to_string(),
                t.footsteps.to_string(),
                format!("{:.1}", 1e3 * t.deepest),
                format!("{:.1}", 1e3 * t.mean_depth()),
                format!("{:.0}", 1e4 * t.mean_area()),
                format!("{:.1}", 1e-3 * t.mean_pressure()),
                format!("{:.0}", t.force),
            ]
        });
        table(&head, &rows.take(200).collect::<Vec<_>>())
    }

    /// Force and depth of the first body's feet.
    fn plots(&self) -> Result<Markup, Failure> {
        let line = &self.figures.timeline;
        let feet = self.world.scene().puppets.first().map_or(0, |p| p.script.feet().min(2));
        let plot = |first: usize, factor: f64, title: &str, label: &str| {
            let one = |foot: usize| Series {
                name: if feet < 2 { "contact" } else { ["right foot", "left foot"][foot] }.into(),
                x: line.iter().map(|s| s[0]).collect(),
                y: line.iter().map(|s| factor * s[first + foot]).collect(),
            };
            plot_lines(&(0..feet).map(one).collect::<Vec<_>>(), title, "time (s)", label)
        };
        let force = plot(1, 1.0, "Force into the ground", "force (N)")?;
        let depth = plot(3, 1000.0, "Depth under the sole", "depth (mm)")?;
        Ok(html! {
            (drawing(&force.svg, "Normal force of the first body: weight share by the position of the centre of mass, plus the landing force held for the ground's characteristic time."))
            (drawing(&depth.svg, "Depth of the first body's soles below the original ground."))
        })
    }

    fn ledger(&self) -> Markup {
        let v = self.world.volume();
        let row = |what: &str, value: f64| vec![what.to_string(), format!("{:.6}", 1e3 * value)];
        let volumes = [
            row("carved: ground compressed under soles", v.carved),
            row("displaced: the share of it pushed aside", v.displaced),
            row("accumulated: loose material on the ground at the end, counted cell by cell", v.accumulated),
            vec!["relative error".into(), format!("{:.1e}", v.relative_error)],
        ];
        html! { (table(&["volume", "litres"], &volumes)) }
    }

    /// How long each stage took, and all of them.
    fn timings(&self) -> Markup {
        let number = |path: &str| self.summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
        let mut rows: Vec<Vec<String>> = Stage::ALL
            .iter()
            .map(|stage| {
                let seconds = self.summary["stages"][stage.name()].as_f64().unwrap_or(0.0);
                vec![stage.name().to_string(), format!("{seconds:.4}")]
            })
            .collect();
        rows.push(vec!["all".into(), format!("{:.4}", number("/wall_seconds"))]);
        html! {
            (table(&["stage", "seconds"], &rows))
            p {
                (format!("{:.2}", number("/sim_seconds"))) " s simulated"
                @if number("/realtime_factor") > 0.0 {
                    ", " (crate::output::speed(number("/realtime_factor"))) " × real time"
                }
                "."
            }
        }
    }

    /// The mean cross-section of the trail.
    fn section(&self) -> Result<Option<String>, Failure> {
        let Some((place, mean)) = tread::cross_section(self.world) else { return Ok(None) };
        let base = vec![0.0; place.len()];
        Ok(Some(plot_profile("Mean cross-section", &place, &base, &mean)?.svg))
    }

    /// Every parameter of every material, a column each, and the scene as a file.
    fn parameters(&self) -> Markup {
        let materials = &self.world.scene().terrain.materials;
        let head: Vec<&str> =
            std::iter::once("parameter").chain(materials.iter().map(|m| m.name.as_str())).collect();
        let rows = Material::FIELDS.iter().map(|field| {
            let value = |m: &trample::scene::NamedMaterial| {
                let text = format!("{:.6}", field.get(&m.material).unwrap_or(0.0));
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            };
            let (name, unit) = (field.range.name, field.range.unit);
            let name = if unit.is_empty() { name.to_string() } else { format!("{name}, {unit}") };
            std::iter::once(name).chain(materials.iter().map(value)).collect()
        });
        html! {
            (table(&head, &rows.collect::<Vec<_>>()))
            p { "The scene as a file:" }
            pre { (self.source.text) }
            @if !self.source.settings.is_empty() { p { "Settings: " (self.source.settings.join(", ")) } }
        }
    }
}
