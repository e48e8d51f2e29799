//! Keys, mouse, fingers and sticks: what they want, and which orders they give.

use super::files::Wanted;
use super::{Play, cameras};
use crate::action::{Action, BESIDE, twin_of};
use crate::camera::{Turn, View};
use crate::controls::{self, Control, Order};
use crate::options::paced;
use crate::steering::{Held, refusal};
use crate::thumbs;
use bevy::ecs::system::SystemParam;
use bevy::input::gamepad::{Gamepad, GamepadButton};
use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::input::touch::{Touch, Touches};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_trample::Trample;

/// Turn of the camera for a pixel of the mouse, rad.
const PER_PIXEL: f32 = 0.006;
/// Turn of the camera by a stick held over, rad/s.
const PER_STICK: f32 = 2.2;
/// How far from its walker a twin is where there is little room, m.
const NARROW: f64 = 0.65;
/// A press that moves less than this is a click, pixels.
const CLICK: f32 = 5.0;

pub(super) struct InputPlugin {
    /// Whether there is a touch screen for sure.
    pub(super) touch: bool,
}

impl Plugin for InputPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pressed>().insert_resource(Thumbs { seen: self.touch, ..default() });
        // Fixed updates come before this in a frame: what is held stays until it is read anew.
        app.add_systems(Update, (clear, fingers, walk, orders, point).chain().in_set(Reading));
    }
}

/// When input is read; the camera goes on after it.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reading;

/// Where the mouse was pressed, and how far it has moved since.
#[derive(Resource, Default)]
struct Pressed {
    at: Option<Vec2>,
    last: Vec2,
    way: f32,
    drawing: bool,
}

/// What fingers do on a touch screen.
#[derive(Resource, Default)]
pub(super) struct Thumbs {
    /// Whether this is a touch screen: a finger has been seen.
    pub(super) seen: bool,
    /// The stick: where the thumb began and where it is, logical pixels.
    pub(super) stick: Option<[Vec2; 2]>,
    /// Orders whose buttons are held.
    pub(super) held: Vec<Order>,
    /// Orders whose buttons were pressed in this frame.
    pressed: Vec<Order>,
    /// Where a finger tapped in this frame.
    tap: Option<Vec2>,
}

fn clear(mut play: ResMut<Play>) {
    play.held = Held::default();
    play.turn = Turn::default();
}

/// Keys, gamepads and touch buttons, read through the table of controls.
#[derive(SystemParam)]
struct Hands<'w, 's> {
    keys: Res<'w, ButtonInput<KeyCode>>,
    pads: Query<'w, 's, &'static Gamepad>,
    thumbs: Res<'w, Thumbs>,
    egui: Res<'w, EguiWantsInput>,
}

impl Hands<'_, '_> {
    /// Whether a control is on, with `key`, `pad` and `thumbs` telling what counts: held, or pressed in this frame.
    fn is_on(
        &self,
        control: &Control,
        key: impl Fn(KeyCode) -> bool,
        pad: impl Fn(&Gamepad, GamepadButton) -> bool,
        thumbs: &[Order],
    ) -> bool {
        let shift = self.keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
        let ctrl = self.keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
        // Tab leaves a field of the panel as well.
        let typing = self.egui.wants_keyboard_input() && control.order != Order::Panel;
        let keyed = !typing
            && controls::allowed(control, shift, ctrl)
            && control.keys.iter().any(|k| key((*k).into()));
        let padded = control.pad.is_some_and(|button| self.pads.iter().any(|p| pad(p, button.into())));
        keyed || padded || thumbs.contains(&control.order)
    }

    /// 1 while an order is held, else 0.
    fn held(&self, order: Order) -> f32 {
        let on = |c: &Control| self.is_on(c, |k| self.keys.pressed(k), Gamepad::pressed, &self.thumbs.held);
        f32::from(u8::from(controls::all().any(|c| c.order == order && on(c))))
    }

    /// The orders given in this frame.
    fn given(&self) -> impl Iterator<Item = Order> {
        let on = move |c: &&Control| {
            self.is_on(c, |k| self.keys.just_pressed(k), Gamepad::just_pressed, &self.thumbs.pressed)
        };
        controls::all().filter(on).map(|c| c.order)
    }
}

/// What is held: walking, and turns of the camera by sticks.
fn walk(
    hands: Hands,
    time: Res<Time>,
    trample: Res<Trample>,
    mut play: ResMut<Play>,
    mut answered: Local<bool>,
) {
    let mut held = play.held;
    held.ahead += hands.held(Order::Ahead) - hands.held(Order::Back);
    held.right += hands.held(Order::Right) - hands.held(Order::Left);
    held.side += hands.held(Order::SideRight) - hands.held(Order::SideLeft);
    held.run |= hands.held(Order::Run) > 0.0;
    let mut turn = play.turn;
    turn.zoom += (hands.held(Order::Farther) - hands.held(Order::Nearer)) * time.delta_secs();
    for pad in &hands.pads {
        let (left, right) = (pad.left_stick(), pad.right_stick());
        let soft = |x: f32| if x.abs() < 0.12 { 0.0 } else { x };
        held.ahead += soft(left.y);
        held.right += soft(left.x);
        turn.yaw += soft(right.x) * PER_STICK * time.delta_secs();
        turn.pitch += soft(right.y) * PER_STICK * time.delta_secs();
    }
    held.ahead = held.ahead.clamp(-1.0, 1.0);
    held.right = held.right.clamp(-1.0, 1.0);
    (play.held, play.turn) = (held, turn);
    // Keys that move nobody are answered once, until they are let go.
    let still = held.is_nothing();
    if !still && !*answered {
        let replaying = play.session.player.is_some();
        if let Some(why) = refusal(trample.world(), play.session.focus.walker, replaying, trample.paused) {
            play.say(why);
        }
    }
    *answered = !still;
}

fn orders(hands: Hands, mut trample: ResMut<Trample>, mut play: ResMut<Play>, mut wanted: ResMut<Wanted>) {
    for order in hands.given() {
        obey(order, &mut play, &mut trample, &mut wanted);
    }
}

/// Does what was ordered; orders that count while they are held are read by [`walk`].
pub(super) fn obey(order: Order, play: &mut Play, trample: &mut Trample, wanted: &mut Wanted) {
    match order {
        Order::Ahead | Order::Left | Order::Back | Order::Right | Order::Run => {}
        Order::SideLeft | Order::SideRight | Order::Nearer | Order::Farther => {}
        Order::Jump => {
            let walker = play.session.focus.walker;
            play.act(trample, Action::Jump { walker });
            if let Some(twin) = twin_of(trample.world().scene(), walker) {
                play.act(trample, Action::Jump { walker: twin });
            }
            play.hint = false;
        }
        Order::Push => {
            let walker = play.session.focus.walker;
            let Some((body, _)) = trample.world().walker(walker) else {
                let why = refusal(trample.world(), walker, play.session.player.is_some(), trample.paused);
                return play.say(why.unwrap_or_default());
            };
            let impulse = [-libm::sin(body.heading), libm::cos(body.heading)].map(|x| PUSH * x as f32);
            play.act(trample, Action::Push { walker, impulse });
        }
        Order::Camera(view) => play.rig.choose(view),
        Order::NextCamera => play.rig.choose(play.rig.view.next()),
        Order::Route => {
            play.routing = !play.routing;
            play.say(if play.routing {
                "route: click places or draw a line, Enter to walk it"
            } else {
                "route mode is off"
            });
        }
        Order::SetOut => set_out(play, trample),
        Order::TakeBack => play.waypoints.take_back(),
        Order::NextMap => play.overlays.next_map(),
        Order::Forces => {
            let on = !play.overlays.forces;
            (play.overlays.forces, play.overlays.contact, play.overlays.balance) = (on, on, on);
        }
        Order::Wireframe => play.overlays.wireframe = !play.overlays.wireframe,
        Order::Pause | Order::Step | Order::Slower | Order::Faster if play.season.is_some() => {
            if let Some(season) = &mut play.season {
                match order {
                    Order::Pause => season.playing = !season.playing,
                    Order::Slower => season.pace = (0.5 * season.pace).max(0.5),
                    Order::Faster => season.pace = (2.0 * season.pace).min(60.0),
                    _ => (season.playing, season.at) = (false, season.at.floor() + 1.0),
                }
            }
        }
        Order::Pause => trample.paused = !trample.paused,
        Order::Step => {
            trample.paused = true;
            trample.single_step();
        }
        Order::Slower if play.session.player.is_some() => play.wind_by(trample, -WOUND),
        Order::Faster if play.session.player.is_some() => play.wind_by(trample, WOUND),
        Order::Slower => trample.time_scale = paced(trample.time_scale, false),
        Order::Faster => trample.time_scale = paced(trample.time_scale, true),
        Order::Undo => undo(play, trample, 5.0),
        Order::UndoMinute => undo(play, trample, 60.0),
        Order::Twin => twin(play, trample),
        Order::Places => play.places = !play.places,
        Order::Panel => play.panel = !play.panel,
        Order::Plots => play.plots = !play.plots,
        Order::Timings => play.timings = !play.timings,
        Order::Sound => {
            play.sound = !play.sound;
            play.say(if play.sound { "footstep sounds on" } else { "footstep sounds off" });
        }
        Order::Help => play.help = !play.help,
        Order::Picture => wanted.picture = true,
        Order::Save => wanted.save = true,
    }
}

/// Goes back in time.
fn undo(play: &mut Play, trample: &mut Trample, seconds: f64) {
    match play.session.undo(trample.world_mut(), seconds) {
        Ok(went) => {
            play.told = None;
            play.say(format!("{went:.1} s undone"));
        }
        Err(problem) => play.say(problem),
    }
}

/// How far a key winds a replay, s.
const WOUND: f64 = 5.0;

/// How hard a push is, N·s: our choice, enough to make an adult step.
const PUSH: f32 = 60.0;

/// A twin without balance beside the walker, or none.
fn twin(play: &mut Play, trample: &mut Trample) {
    let walker = play.session.focus.walker;
    let world = trample.world();
    let Some((state, _)) = world.walker(walker) else {
        play.say("only a walker has a twin");
        return;
    };
    let place = if twin_of(world.scene(), walker).is_none() {
        let right = state.heading + std::f64::consts::FRAC_PI_2;
        let size = world.scene().terrain.size;
        let to = |side: f64| [state.root.x + libm::cos(right) * side, state.root.y + libm::sin(right) * side];
        let fits = |at: &[f64; 2]| (0..2).all(|k| (0.25..size[k] - 0.25).contains(&at[k]));
        let beside = [BESIDE, -BESIDE, NARROW, -NARROW].map(to).into_iter().find(fits);
        if beside.is_none() {
            play.say("there is no room for a twin beside the walker");
            return;
        }
        beside.map(|at| (at, state.heading))
    } else {
        None
    };
    play.act(trample, Action::Twin { walker, place });
    play.told = None;
}

/// Sends the walker along the route.
fn set_out(play: &mut Play, trample: &mut Trample) {
    let walker = play.session.focus.walker;
    let Some((state, _)) = trample.world().walker(walker) else {
        play.say("there is no walker that can follow a route");
        play.waypoints.path.waypoints.clear();
        return;
    };
    let Some(route) = play.waypoints.route([state.root.x, state.root.y]) else {
        play.say("a route needs a place at least half a metre away");
        return;
    };
    play.act(trample, Action::Route { walker, along: route });
    play.waypoints.path.waypoints.clear();
    // What is walked stays in view.
    play.overlays.routes = true;
    if std::mem::take(&mut play.opening) {
        play.rig.choose(View::Follow);
    }
    play.told = None;
    play.routing = false;
    play.hint = false;
}

/// The camera of the world.
pub(super) type Eyes<'w, 's> = Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Camera3d>>;

/// The ray from the eye through a place of the window.
pub(super) fn ray(cameras: &Eyes, window: &Window, at: Vec2) -> Option<Ray3d> {
    let (camera, place) = cameras.iter().next()?;
    // The picture has a resolution of its own.
    let at = at * camera.logical_viewport_size()? / window.size().max(Vec2::ONE);
    camera.viewport_to_world(place, at).ok()
}

/// Where a place of the window meets the ground, x and z, m.
fn under(cameras: &Eyes, trample: &Trample, window: &Window, at: Vec2) -> Option<[f64; 2]> {
    cameras::meet(trample.world(), ray(cameras, window, at)?)
}

/// A place on the ground was clicked or tapped: it joins the route, or the walker sets out for it.
fn click(play: &mut Play, trample: &mut Trample, at: [f64; 2], placing: bool) {
    if !placing {
        play.waypoints.path.waypoints.clear();
    }
    play.waypoints.click(at, trample.world().scene().terrain.size);
    if !placing {
        set_out(play, trample);
    }
}

/// The mouse and tapping fingers: turning, zooming, placing.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn point(
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    scroll: Res<AccumulatedMouseScroll>,
    egui: Res<EguiWantsInput>,
    thumbs: Res<Thumbs>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Eyes,
    mut pressed: ResMut<Pressed>,
    mut trample: ResMut<Trample>,
    mut play: ResMut<Play>,
) {
    let play = &mut *play;
    let over = egui.wants_pointer_input() || egui.is_pointer_over_area();
    let placing = play.routing || keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    if !over {
        let lines = if scroll.unit == MouseScrollUnit::Line { scroll.delta.y } else { scroll.delta.y / 40.0 };
        play.turn.zoom -= 0.12 * lines;
    }
    let Some(window) = windows.iter().next() else { return };
    let tap = thumbs.tap.filter(|_| !over);
    if let Some(at) = tap.and_then(|at| under(&cameras, &trample, window, at)) {
        click(play, &mut trample, at, placing);
    }
    let Some(cursor) = window.cursor_position() else { return };
    if buttons.any_just_pressed([MouseButton::Left, MouseButton::Right]) && !over {
        *pressed = Pressed { at: Some(cursor), last: cursor, way: 0.0, drawing: false };
    }
    if pressed.at.is_none() {
        return;
    }
    let moved = cursor - pressed.last;
    pressed.last = cursor;
    pressed.way += moved.length();
    let left = buttons.pressed(MouseButton::Left);
    if left && placing && pressed.way > CLICK {
        pressed.drawing = true;
        if let Some(at) = under(&cameras, &trample, window, cursor) {
            play.waypoints.draw(at, trample.world().scene().terrain.size);
        }
    } else if left || buttons.pressed(MouseButton::Right) {
        play.turn.yaw += moved.x * PER_PIXEL;
        play.turn.pitch += moved.y * PER_PIXEL;
    } else {
        // Let go without having moved: a click.
        if pressed.way <= CLICK && buttons.just_released(MouseButton::Left) {
            match under(&cameras, &trample, window, cursor) {
                Some(at) => click(play, &mut trample, at, placing),
                None => {
                    play.say("that point is outside the ground");
                }
            }
        }
        pressed.at = None;
    }
}

/// Fingers: the left half of the screen is a stick, the right half turns the camera, two fingers there zoom, a tap there is a click;
/// and there are buttons for the right thumb while the panel is closed.
fn fingers(
    touches: Res<Touches>,
    egui: Res<EguiWantsInput>,
    windows: Query<&Window, With<PrimaryWindow>>,
    mut thumbs: ResMut<Thumbs>,
    mut play: ResMut<Play>,
    mut apart: Local<Option<f32>>,
) {
    let Some(window) = windows.iter().next() else { return };
    let size = [window.width(), window.height()];
    let half = 0.5 * size[0];
    *thumbs = Thumbs { seen: thumbs.seen || touches.any_just_pressed(), ..default() };
    let buttons = !play.panel;
    let button = |at: Vec2| if buttons { thumbs::hit(at.to_array(), size) } else { None };
    for touch in touches.iter_just_pressed() {
        thumbs.pressed.extend(button(touch.position()));
    }
    thumbs.held = touches.iter().filter_map(|t| button(t.start_position())).collect();
    if egui.is_using_pointer() || egui.is_pointer_over_area() {
        return;
    }
    let free = |at: Vec2| button(at).is_none();
    thumbs.tap = touches
        .iter_just_released()
        .filter(|t| t.start_position().x >= half && free(t.start_position()))
        .find(|t| t.distance().length() < thumbs::TAP && apart.is_none())
        .map(Touch::start_position);
    let right: Vec<_> =
        touches.iter().filter(|t| t.start_position().x >= half && free(t.start_position())).collect();
    if let [one, two] = right.as_slice() {
        let distance = (one.position() - two.position()).length().max(1.0);
        if let Some(before) = *apart {
            play.turn.zoom += libm::logf(before / distance);
        }
        *apart = Some(distance);
    } else if let [one] = right.as_slice() {
        play.turn.yaw += one.delta().x * PER_PIXEL;
        play.turn.pitch += one.delta().y * PER_PIXEL;
    } else {
        *apart = None;
    }
    if let Some(touch) = touches.iter().find(|t| t.start_position().x < half) {
        let (right, ahead, run) =
            thumbs::stick(touch.start_position().to_array(), touch.position().to_array());
        (play.held.right, play.held.ahead) = (right, ahead);
        play.held.run |= run;
        thumbs.stick = Some([touch.start_position(), touch.position()]);
    }
}
