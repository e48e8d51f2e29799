//! The ledger: what has been carved, moved and heaped, and the events of the step.

use super::super::contact::FootScratch;
use crate::state::Ledger;
use crate::state::tile::NANO;
use crate::state::{Ground, Puppet};
use crate::step::{Contact, Event, Report};

/// Books every foot's outcome, in order.
pub(crate) fn run(
    puppets: &mut [Puppet],
    feet: &[FootScratch],
    ledger: &mut Ledger,
    dt: f64,
    ground: &Ground,
    report: &mut Report,
) {
    debug_assert!(dt > 0.0 && ground.cell > 0.0, "a step has a length and a ground cells");
    for f in feet.iter().filter(|f| f.works() || f.rests) {
        if f.rests {
            report.contacts.extend(f.told.map(|told| Contact { seconds: dt, ..told }));
            continue;
        }
        let outcome = &f.press.outcome;
        let load = &f.load;
        let foot = &mut puppets[f.puppet].feet[f.foot];
        foot.carry = outcome.carry;
        ledger.carved += i128::from(outcome.carved);
        ledger.owed += outcome.owed;
        ledger.swept += outcome.swept;
        ledger.loose += i128::from(outcome.loose);
        ledger.deposited += i128::from(outcome.deposited);
        report.sweeps += u64::from(outcome.sweeps);
        if load.seconds > 0.0 {
            foot.area_time += outcome.area * load.seconds;
            foot.deepest = foot.deepest.max(outcome.depth);
            foot.broadest = foot.broadest.max(outcome.area);
            foot.pressed += (outcome.carved + outcome.loose) as f64 / NANO * ground.cell * ground.cell;
            foot.height = outcome.height;
            foot.seat = outcome.seat;
            foot.slip = outcome.slip;
            foot.suction = outcome.suction;
            foot.yielded = outcome.yielded;
            foot.depth = outcome.depth;
            report.contacts.push(contact(f));
        }
        let position = puppets[f.puppet].pose.soles[f.foot].position;
        let foot = &puppets[f.puppet].feet[f.foot];
        if f.landed {
            report.events.push(Event::FootDown {
                puppet: f.puppet,
                foot: f.foot,
                time: report.time - dt + f.from,
                position,
                force: load.normal_peak,
                area: outcome.area,
            });
        }
        if f.lifted {
            let stance = foot.stance.max(1e-12);
            report.events.push(Event::FootUp {
                puppet: f.puppet,
                foot: f.foot,
                time: report.time - dt + f.to,
                position,
                force: foot.peak_force,
                area: foot.area_time / stance,
                depth: foot.deepest,
                impulse: foot.impulse,
                stance: foot.stance,
            });
        }
    }
}

/// What is told of a foot on the ground.
pub(crate) fn contact(f: &FootScratch) -> Contact {
    let (load, outcome) = (&f.load, &f.press.outcome);
    Contact {
        puppet: f.puppet,
        foot: f.foot,
        seconds: load.seconds,
        force: load.force,
        normal_force: load.normal_mean,
        peak_force: load.normal_peak,
        toe_share: outcome.toe_share,
        area: outcome.area,
        pressure: outcome.pressure,
        peaks: outcome.peaks,
        slip: outcome.slip,
        suction: outcome.suction,
        depth: outcome.depth,
        height: outcome.height,
        cop: load.cop,
    }
}
