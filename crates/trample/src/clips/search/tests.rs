use super::*;
use crate::hash::Hasher;
use crate::random::{Stream, normal, uniform};
use proptest::prelude::*;

type Row = [f32; FEATURES];

/// Rows without any order.
fn scattered(seed: u64, n: usize) -> Vec<Row> {
    let number = |i: usize, f: usize| normal(seed, Stream::Wander, (i * FEATURES + f) as u64) as f32;
    (0..n).map(|i| std::array::from_fn(|f| number(i, f))).collect()
}

/// Clips of cyclic motion, as a library has them: every feature swings with the phase, at the clip's own speed.
fn strides(seed: u64, clips: usize, length: usize) -> (Vec<Row>, Vec<Range<usize>>) {
    let mut rows = Vec::new();
    for c in 0..clips {
        let number = |k: u64| uniform(seed, Stream::Press, c as u64 * 8 + k);
        let (speed, turn, phase) = (0.4 + 4.0 * number(0), 2.0 * number(1) - 1.0, number(2));
        for i in 0..length {
            let angle = std::f64::consts::TAU * (phase + i as f64 * (0.6 + 0.2 * speed) / 60.0);
            rows.push(std::array::from_fn(|f| {
                let swing = libm::sin(angle * (1 + f % 2) as f64 + f as f64);
                (speed * (swing + (f % 5) as f64) + turn * (f as f64 - 13.0)) as f32
            }));
        }
    }
    (rows, (0..clips).map(|c| c * length..(c + 1) * length).collect())
}

/// What a query means, frame by frame.
fn meant(index: &Index, rows: &[Row], open: &[bool], query: &Row) -> Match {
    let turned = index.normalise(query).expect("finite");
    let mut best = Match { frame: 0, cost: f32::INFINITY };
    for (i, row) in rows.iter().enumerate().filter(|(i, _)| open[*i]) {
        let row = index.normalise(row).expect("finite");
        let mut cost = 0.0;
        for f in 0..FEATURES {
            cost += (row[f] - turned[f]) * (row[f] - turned[f]);
        }
        if cost < best.cost {
            best = Match { frame: i, cost };
        }
    }
    if best.found() {
        let part = |f: usize| f64::from(index.scale[f]) * f64::from(rows[best.frame][f] - query[f]);
        let plain: f64 = (0..FEATURES).map(|f| part(f) * part(f)).sum();
        assert!(
            (plain - f64::from(best.cost)).abs() < 1e-5 * (1.0 + plain),
            "{plain} turned to {}",
            best.cost
        );
    }
    best
}

fn open_frames(n: usize, clips: &[Range<usize>], tail: usize) -> Vec<bool> {
    (0..n).map(|i| clips.iter().any(|c| c.contains(&i) && i + tail < c.end)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn among_scattered_frames_a_query_finds_what_a_scan_finds(
        seed in any::<u64>(),
        n in 0..900usize,
        cuts in proptest::collection::vec(0..900usize, 0..6),
        tail in 0..40usize,
        width in 0.0..3.0f32,
        bonus in 0.0..9.0f32,
        wanted in 0..8u32,
    ) {
        let rows = scattered(seed, n);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(n)).chain([0, n]).collect();
        cuts.sort_unstable();
        let clips: Vec<Range<usize>> = cuts.windows(2).map(|w| w[0]..w[1]).collect();
        let tags: Vec<u32> = (0..clips.len() as u32).map(|c| 1 << (c % 3)).collect();
        let index = Index::with_tags(&rows, &Weights::default(), &clips, &tags, tail);
        let open = open_frames(n, &clips, tail);
        for (k, query) in scattered(seed ^ 1, 12).iter().enumerate() {
            let query = query.map(|x| x * width);
            let found = index.query(&query, None);
            prop_assert_eq!(found, meant(&index, &rows, &open, &query));
            let start = Some((k * 83, bonus));
            for (start, wanted) in [(None, ANY), (start, ANY), (None, wanted), (start, wanted)] {
                let found = index.query_tagged(&query, start, wanted);
                let scanned = index.linear_scan(&query, start, wanted);
                prop_assert_eq!(found.frame, scanned.frame);
                prop_assert_eq!(found.cost.to_bits(), scanned.cost.to_bits());
                let fits = |c: usize| clips[c].contains(&found.frame) && passes(tags[c], wanted);
                prop_assert!(!found.found() || (0..clips.len()).any(fits), "a frame with none of the tags");
            }
        }
    }

    #[test]
    fn among_strides_a_query_finds_what_a_scan_finds(
        seed in any::<u64>(),
        clips in 1..40usize,
        length in 1..90usize,
        tail in 0..20usize,
        noise in 0.0..1.0f32,
    ) {
        let (rows, clips) = strides(seed, clips, length);
        let index = Index::new(&rows, &Weights::default(), &clips, tail);
        let open = open_frames(rows.len(), &clips, tail);
        for (k, change) in scattered(seed, 12).iter().enumerate() {
            let (own, other) = (&rows[k * 7919 % rows.len()], &rows[k * 104_729 % rows.len()]);
            let mixed = std::array::from_fn(|f| if f < 15 { own[f] } else { other[f] } + noise * change[f]);
            for query in [*own, mixed] {
                let found = index.query(&query, None);
                prop_assert_eq!(found, meant(&index, &rows, &open, &query));
                prop_assert_eq!(found, index.linear_scan(&query, None, ANY));
                let start = Some((k * 31 % rows.len(), 0.5));
                prop_assert_eq!(index.query(&query, start), index.linear_scan(&query, start, ANY));
            }
        }
    }

    #[test]
    fn nothing_makes_a_query_fail(
        values in proptest::collection::vec(any::<f32>(), 40 * FEATURES),
        start in proptest::option::of((0..60usize, any::<f32>())),
        wanted in any::<u32>(),
        tail in 0..50usize,
    ) {
        let rows: Vec<Row> = values.chunks(FEATURES).map(|r| r.try_into().expect("27 numbers")).collect();
        let index = Index::new(&rows[..32], &Weights::default(), &[0..20, 15..90, 70..80], tail);
        for query in &rows {
            let (found, scanned) = (index.query_tagged(query, start, wanted), index.linear_scan(query, start, wanted));
            prop_assert_eq!(found.frame, scanned.frame);
            prop_assert_eq!(found.cost.to_bits(), scanned.cost.to_bits());
            prop_assert!(found.frame < 32);
        }
    }
}

#[test]
fn a_frame_finds_itself_and_of_equals_the_first() {
    let (mut rows, clips) = strides(3, 20, 70);
    let n = rows.len();
    rows.copy_within(200..260, 900);
    let index = Index::new(&rows, &Weights::default(), &clips, 10);
    for i in (0..n).filter(|i| i % 70 < 60) {
        let found = index.query(&rows[i], None);
        assert_eq!(found.cost, 0.0);
        let first = rows.iter().position(|row| *row == rows[i]).expect("itself");
        assert!(found.frame == first || first % 70 >= 60, "{} instead of {first}", found.frame);
    }
}

#[test]
fn nothing_jumps_to_a_tail_but_a_tail_may_play_on() {
    let (rows, clips) = strides(4, 10, 50);
    let index = Index::new(&rows, &Weights::default(), &clips, 20);
    for i in 0..rows.len() {
        assert!(index.query(&rows[i], None).frame % 50 < 30);
        assert_eq!(index.query(&rows[i], Some((i, 0.0))), Match { frame: i, cost: 0.0 });
    }
}

#[test]
fn the_current_frame_stays_unless_another_is_better_by_the_bonus() {
    let rows = scattered(5, 500);
    let index = Index::new(&rows, &Weights::default(), std::slice::from_ref(&(0..500)), 0);
    let query = scattered(6, 1)[0];
    let best = index.query(&query, None);
    let start = (best.frame + 1) % 500;
    let stay = index.query(&query, Some((start, f32::INFINITY)));
    assert_eq!(stay.frame, start);
    let gap = stay.cost - best.cost;
    assert!(gap > 0.0);
    assert_eq!(index.query(&query, Some((start, 1.01 * gap))), stay);
    assert_eq!(index.query(&query, Some((start, 0.99 * gap))), best);
    assert_eq!(
        index.query(&query, Some((start, f32::NAN))),
        best,
        "a bonus that is no number counts nothing"
    );
    let equal = Index::new(&[rows[0]; 40], &Weights::default(), std::slice::from_ref(&(0..40)), 0);
    assert_eq!(equal.query(&query, Some((17, 0.0))).frame, 17, "between equals it plays on");
    assert_eq!(equal.query(&query, None).frame, 0);
}

#[test]
fn empty_single_and_short_libraries_and_queries_that_are_no_numbers() {
    let lost = |frame: usize| Match { frame, cost: f32::INFINITY };
    let (row, weights) = (scattered(7, 1)[0], Weights::default());
    let empty = Index::new(&[], &weights, &[], 5);
    assert!(empty.is_empty());
    assert_eq!(empty.query(&row, Some((3, 1.0))), lost(0));
    let single = Index::new(&[row], &weights, std::slice::from_ref(&(0..1)), 0);
    assert_eq!(single.query(&row, None), Match { frame: 0, cost: 0.0 });
    let short = Index::new(&[row; 30], &weights, &[0..10, 10..30], 25);
    assert_eq!((short.len(), short.query(&row, None)), (30, lost(0)));
    assert_eq!(short.query(&row, Some((12, 0.0))), Match { frame: 12, cost: 0.0 });
    let (rows, clips) = strides(8, 9, 40);
    let index = Index::with_tags(&rows, &weights, &clips, &[1; 9], 4);
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut query = rows[9];
        query[20] = wrong;
        assert_eq!(index.query(&query, None), lost(0));
        assert_eq!(index.query(&query, Some((77, 1.0))), lost(77));
        assert_eq!(index.query(&query, Some((7777, 1.0))), lost(0));
    }
    assert_eq!(index.query_tagged(&rows[9], Some((77, 1.0)), 2), lost(77), "no frame has the tag");
    let mut broken = rows.clone();
    broken[50][3] = f32::NAN;
    let index = Index::new(&broken, &weights, &clips, 4);
    assert_ne!(
        index.query(&rows[50], Some((50, 9.0))).frame,
        50,
        "a frame that is no number is never chosen"
    );
}

#[test]
fn a_feature_that_never_changes_counts_nothing() {
    let mut rows = scattered(9, 300);
    for (i, row) in rows.iter_mut().enumerate() {
        row[4] = 1000.0 + if i % 2 == 0 { 0.0 } else { 6e-5 };
    }
    let index = Index::new(&rows, &Weights::default(), std::slice::from_ref(&(0..300)), 0);
    let mut query = rows[123];
    query[4] = 0.0;
    assert_eq!(index.query(&query, None), Match { frame: 123, cost: 0.0 });
}

#[test]
fn a_cost_is_in_weighted_standard_deviations() {
    let rows = scattered(10, 4000);
    let weights = Weights { hip_velocity: 3.0, ..Weights::default() };
    let index = Index::new(&rows, &weights, std::slice::from_ref(&(0..4000)), 0);
    let mut query = rows[17];
    query[13] += 0.01;
    let found = index.query(&query, None);
    assert_eq!(found.frame, 17);
    assert!((found.cost / (0.03 * 0.03) - 1.0).abs() < 0.1, "{}", found.cost);
}

#[test]
fn a_query_does_not_allocate() {
    let (rows, clips) = strides(11, 60, 80);
    let index = Index::new(&rows, &Weights::default(), &clips, 10);
    let info = allocation_counter::measure(|| {
        for row in rows.iter().step_by(97) {
            std::hint::black_box(index.query(row, Some((3, 0.1))));
        }
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn bits_are_the_same_in_every_build() {
    let (rows, clips) = strides(12, 60, 80);
    let index = Index::new(&rows, &Weights::default(), &clips, 10);
    let mut hasher = Hasher::default();
    for (row, change) in rows.iter().step_by(13).zip(scattered(13, 300)) {
        let query = std::array::from_fn(|f| row[f] + 0.2 * change[f]);
        let found = index.query(&query, None);
        hasher.word(found.frame as u64);
        hasher.word(u64::from(found.cost.to_bits()));
    }
    assert_eq!(
        hasher.finish(),
        7_164_191_442_936_299_020,
        "debug and release, and every machine, agree on this number"
    );
}
