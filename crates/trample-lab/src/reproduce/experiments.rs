//! The table of experiments: one for each published figure and table, named after it.

use super::{
    Context, Experiment, Outcome, convergence, footprints_body, footprints_feet, footprints_ground,
    footprints_rods, measured, passes, soft_walks, soft_walks_grass, timings, trail_feet, trail_ground,
    trail_landscape, trail_plants, trail_prints, trail_slopes, trail_table, trails, trails_measured,
};
use crate::Failure;

/// Where an experiment was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    /// Soft Walks 2021.
    SoftWalks,
    /// Dynamic Footprints 2022.
    DynamicFootprints,
    /// TRAIL 2024.
    Trail,
    /// Not of the papers: recordings and field data that were not used to build the model.
    Measured,
    /// Not published: how far our own numbers depend on what they should not.
    Convergence,
    /// Not published: seasons of many people.
    Trails,
}

impl Paper {
    /// All, in order.
    pub(crate) const ALL: [Self; 6] = [
        Self::SoftWalks,
        Self::DynamicFootprints,
        Self::Trail,
        Self::Measured,
        Self::Convergence,
        Self::Trails,
    ];

    /// Its heading.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::SoftWalks => "Soft Walks (2021)",
            Self::DynamicFootprints => "Dynamic Footprints (2022)",
            Self::Trail => "TRAIL (2024)",
            Self::Measured => "Measured",
            Self::Convergence => "Convergence",
            Self::Trails => "Trails",
        }
    }
}

const fn experiment(
    name: &'static str,
    paper: Paper,
    figure: &'static str,
    title: &'static str,
    run: fn(&Context) -> Result<Outcome, Failure>,
) -> Experiment {
    Experiment { name, paper, figure, title, run }
}

/// Every experiment, in the order of the papers.
#[rustfmt::skip]
pub(crate) static EXPERIMENTS: [Experiment; 49] = [
    experiment("sw-fig1", Paper::SoftWalks, "Fig. 1", "One walk over four grounds, hills and grass", soft_walks_grass::journey),
    experiment("sw-fig2", Paper::SoftWalks, "Fig. 2", "Balance controller off and on, on slopes, with high and low centres of mass", soft_walks::balance),
    experiment("sw-fig3", Paper::SoftWalks, "Fig. 3", "The platform that a foot aims at in grass", soft_walks_grass::platform),
    experiment("sw-fig4", Paper::SoftWalks, "Fig. 4", "Prints on sand, soil, mud and snow under the procedural law", soft_walks::prints),
    experiment("sw-grass", Paper::SoftWalks, "§4", "Walking through grass 0.5 and 0.9 m high", soft_walks_grass::grass),
    experiment("df-fig2", Paper::DynamicFootprints, "Fig. 2", "One footfall: force, print, displaced material, rest", footprints_rods::framework),
    experiment("df-fig3", Paper::DynamicFootprints, "Fig. 3", "Cells as rods under Hooke's law, and the area of contact", footprints_rods::rods),
    experiment("df-fig4", Paper::DynamicFootprints, "Fig. 4", "Walking, running, snowshoes, heavy and tiny feet from snow on to sand", footprints_feet::characters),
    experiment("df-fig5", Paper::DynamicFootprints, "Fig. 5", "Force vectors in standing, walking and running", footprints_body::vectors),
    experiment("df-fig6", Paper::DynamicFootprints, "Fig. 6", "Ground reaction force over the gait, both force models, against measurements", footprints_body::gait_forces),
    experiment("df-fig7", Paper::DynamicFootprints, "Fig. 7", "A falling sphere: mass, Young's modulus, Poisson's ratio", footprints_ground::sphere),
    experiment("df-fig8", Paper::DynamicFootprints, "Fig. 8", "Prints on snow, dry sand, mud and soil", footprints_ground::materials),
    experiment("df-table1", Paper::DynamicFootprints, "Table 1", "Parameters of the four grounds, and the depths they span", footprints_ground::table),
    experiment("df-fig9", Paper::DynamicFootprints, "Fig. 9", "The gait on ground that gives way", footprints_body::soft_gait),
    experiment("df-fig10", Paper::DynamicFootprints, "Fig. 10", "Running, jumping, sidestepping and a dance", footprints_feet::motions),
    experiment("df-timings", Paper::DynamicFootprints, "§6", "Time per frame at cells of 4 and 2 cm", timings::footprints),
    experiment("tr-table1", Paper::Trail, "Table 1", "Parameters of grounds and plants, and the depths they span", trail_table::table),
    experiment("tr-fig2", Paper::Trail, "Fig. 2", "A trail forms, and its maps lie on a larger terrain", trail_landscape::landscape),
    experiment("tr-fig3", Paper::Trail, "Fig. 3", "Feet aligned by their distance to the ground; toes first uphill", trail_feet::alignment),
    experiment("tr-fig4", Paper::Trail, "Fig. 4", "Forces on level ground and on a slope", trail_slopes::slope_forces),
    experiment("tr-fig5", Paper::Trail, "Fig. 5", "A plant of particles, pressed and risen again", trail_plants::lattice),
    experiment("tr-fig6", Paper::Trail, "Fig. 6", "Accumulation: uniform, cosine, adaptive", trail_prints::accumulation),
    experiment("tr-fig7", Paper::Trail, "Fig. 7", "Stabilisation to the rest angle", trail_prints::repose),
    experiment("tr-fig8", Paper::Trail, "Fig. 8", "Four maps after 50 passes", trail_ground::maps),
    experiment("tr-fig9", Paper::Trail, "Fig. 9", "Three soils with plants after 1, 75 and 200 passes", trail_ground::soils),
    experiment("tr-fig10", Paper::Trail, "Fig. 10", "Walkers of 50, 75 and 100 kg on dry soil", trail_ground::masses),
    experiment("tr-fig11", Paper::Trail, "Fig. 11", "Profile of a print: even and directed accumulation", trail_prints::profile),
    experiment("tr-fig12", Paper::Trail, "Fig. 12", "Prints up, down and across a dune", trail_slopes::dune),
    experiment("tr-fig13", Paper::Trail, "Fig. 13", "Grass bends under a walker and gets up again", trail_plants::bending),
    experiment("tr-fig14", Paper::Trail, "Fig. 14", "Vegetation strength after 25, 75, 200 and 500 passes", trail_plants::strength),
    experiment("tr-fig15", Paper::Trail, "Fig. 15", "Relative cover against passes, beside Cole 1995", trail_plants::cover),
    experiment("tr-fig16", Paper::Trail, "Fig. 16", "The same walk on bare ground and through sedge", trail_plants::shield),
    experiment("tr-timings", Paper::Trail, "§5.1", "Time per frame of ground and plants", timings::trail),
    experiment("measured-gait", Paper::Measured, "two strides", "Force under a foot beside two recorded adults", measured::strides_recorded),
    experiment("measured-drag", Paper::Measured, "seven drags", "Locked wheels dragged through sand", measured::drags),
    experiment("measured-snow", Paper::Measured, "three snows", "A walker in 30 cm of snow of three densities", measured::snow),
    experiment("convergence-cell", Paper::Convergence, "cell size", "Prints at cells of 4 cm to 5 mm", convergence::cell),
    experiment("convergence-rate", Paper::Convergence, "frame rate", "Prints at 30 to 960 steps per second", convergence::rate),
    experiment("convergence-passes", Paper::Convergence, "passes", "The natural lane after 1 to 200 passes, over cells, frame rates and seeds", passes::convergence),
    experiment("convergence-substeps", Paper::Convergence, "substeps", "A bent plant in few and many substeps", convergence::substeps),
    experiment("convergence-seeds", Paper::Convergence, "seeds", "What depends on chance, for several seeds", convergence::seeds),
    experiment("trails-live", Paper::Trails, "season", "A season against live steps: depth, width, cross-section, cover", trails::live),
    experiment("trails-hash", Paper::Trails, "bits", "The same bits for any threads and tiles", trails::hash),
    experiment("trails-joining", Paper::Trails, "ways", "The angle at which people join a path", trails::joining),
    experiment("trails-triangle", Paper::Trails, "ways", "Three gates: detour and traffic near the centre", trails::triangle),
    experiment("trails-use", Paper::Trails, "impact", "Cover, bare ground and cross-section against use; fall line and side-hill", trails::use_and_impact),
    experiment("trails-field", Paper::Trails, "field studies", "Passes that halve swards, evenly spread visitors, the middle of a lane", trails_measured::field),
    experiment("trails-convergence", Paper::Trails, "season", "A lane over cell size, epochs and seeds", trails::convergence),
    experiment("trails-network", Paper::Trails, "time", "Thirty kilometres of trails: time and memory", trails::network),
];
