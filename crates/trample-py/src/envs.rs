//! Worlds for learning machines: many at once, each with a body of its own, stepped over threads without the interpreter's lock.

pub(crate) mod hopper;
pub(crate) mod steering;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

/// One world and who acts in it.
pub(crate) trait Env: Sized + Send {
    /// Numbers that an action has, each from −1 to 1.
    const ACTIONS: usize;
    /// Numbers that are seen.
    const SEEN: usize;
    /// Random numbers from 0 to 1 that a beginning takes.
    const RANDOM: usize;
    /// Feet in it.
    const FEET: u64;

    /// Begins anew.
    fn reset(&mut self, random: &[f32]);
    /// Goes on by one action; returns the reward.
    fn act(&mut self, action: &[f32]) -> f32;
    /// What is seen now.
    fn see(&self, out: &mut [f32]);
    /// Whether it is over: ended, and cut off.
    fn over(&self) -> [bool; 2];
    /// Steps of its world so far.
    fn steps(&self) -> u64;
}

/// What a step returns: what is seen, rewards, and which ended or were cut off.
pub(crate) type Seen<'py> = (
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

/// Refuses how many worlds, on how many threads, and how long they go, s.
pub(crate) fn check(n: usize, threads: usize, seconds: f64) -> PyResult<()> {
    let problem = if !(1..=65_536).contains(&n) || !(1..=256).contains(&threads) {
        format!("{n} worlds on {threads} threads, allowed: 1 to 65536 on 1 to 256")
    } else if !(seconds > 0.0 && seconds <= 1e6) {
        format!("seconds is {seconds}, allowed: above 0 to 1000000")
    } else {
        return Ok(());
    };
    Err(PyValueError::new_err(problem))
}

/// Many of them.
pub(crate) struct Many<E> {
    pub(crate) envs: Vec<E>,
    pool: Option<rayon::ThreadPool>,
}

impl<E: Env> Many<E> {
    pub(crate) fn new(n: usize, threads: usize, first: &E) -> PyResult<Self>
    where
        E: Clone,
    {
        let envs = vec![first.clone(); n];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Self { envs, pool: (threads > 1).then_some(pool) })
    }

    fn each(&mut self, work: impl Fn(usize, &mut E) + Sync + Send) {
        match &self.pool {
            Some(pool) => {
                pool.install(|| self.envs.par_iter_mut().enumerate().for_each(|(i, env)| work(i, env)))
            }
            None => self.envs.iter_mut().enumerate().for_each(|(i, env)| work(i, env)),
        }
    }

    /// Begins those anew that are marked; each has its row of random numbers.
    pub(crate) fn reset<'py>(
        &mut self,
        py: Python<'py>,
        which: PyReadonlyArray1<'_, bool>,
        random: PyReadonlyArray2<'_, f32>,
    ) -> PyResult<Seen<'py>> {
        let (which, random) = (which.as_slice()?, rows(&random, self.envs.len(), E::RANDOM, "random")?);
        if which.len() != self.envs.len() {
            return Err(PyValueError::new_err("one mark for each world"));
        }
        py.detach(|| {
            self.each(|i, env| {
                if which[i] {
                    env.reset(&random[i * E::RANDOM..(i + 1) * E::RANDOM]);
                }
            });
        });
        self.seen(py, vec![0.0; self.envs.len()])
    }

    /// Every world goes on by its action; those marked as waiting do not.
    pub(crate) fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray2<'_, f32>,
        waits: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Seen<'py>> {
        let (waits, actions) = (waits.as_slice()?, rows(&actions, self.envs.len(), E::ACTIONS, "actions")?);
        if waits.len() != self.envs.len() {
            return Err(PyValueError::new_err("one mark for each world"));
        }
        if actions.iter().any(|a| !a.is_finite()) {
            return Err(PyValueError::new_err("every number of an action must be finite"));
        }
        let rewards: Vec<std::sync::atomic::AtomicU32> = self.envs.iter().map(|_| 0.into()).collect();
        py.detach(|| {
            self.each(|i, env| {
                if !waits[i] {
                    let reward = env.act(&actions[i * E::ACTIONS..(i + 1) * E::ACTIONS]);
                    rewards[i].store(reward.to_bits(), std::sync::atomic::Ordering::Relaxed);
                }
            });
        });
        let rewards = rewards.into_iter().map(|r| f64::from(f32::from_bits(r.into_inner()))).collect();
        self.seen(py, rewards)
    }

    fn seen<'py>(&self, py: Python<'py>, rewards: Vec<f64>) -> PyResult<Seen<'py>> {
        let n = self.envs.len();
        let mut all = vec![0.0; n * E::SEEN];
        all.chunks_exact_mut(E::SEEN).zip(&self.envs).for_each(|(row, env)| env.see(row));
        let over: Vec<[bool; 2]> = self.envs.iter().map(Env::over).collect();
        let [ended, cut] = [0, 1].map(|k| over.iter().map(|o| o[k]).collect::<Vec<_>>().into_pyarray(py));
        Ok((all.into_pyarray(py).reshape([n, E::SEEN])?, rewards.into_pyarray(py), ended, cut))
    }

    /// Feet times steps so far, over all worlds.
    pub(crate) fn foot_steps(&self) -> u64 {
        self.envs.iter().map(|env| E::FEET * env.steps()).sum()
    }
}

fn rows<'a>(array: &'a PyReadonlyArray2<'_, f32>, n: usize, m: usize, what: &str) -> PyResult<&'a [f32]> {
    use numpy::PyUntypedArrayMethods;
    if array.shape() != [n, m] {
        let problem = format!("{what} must have {n} rows of {m} numbers, got {:?}", array.shape());
        return Err(PyValueError::new_err(problem));
    }
    Ok(array.as_slice()?)
}

/// Declares the Python class of many worlds of one kind.
macro_rules! many {
    ($class:ident, $name:literal, $env:ty, $about:literal) => {
        #[doc = $about]
        #[pyclass(name = $name, module = "trample._trample")]
        pub(crate) struct $class($crate::envs::Many<$env>);

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (n, threads, material, seconds))]
            fn new(n: usize, threads: usize, material: &str, seconds: f64) -> PyResult<Self> {
                $crate::envs::check(n, threads, seconds)?;
                Ok(Self($crate::envs::Many::new(n, threads, &<$env>::new(material, seconds)?)?))
            }

            /// Numbers of an action, of what is seen, and of what a beginning takes.
            #[classattr]
            fn sizes() -> (usize, usize, usize) {
                use $crate::envs::Env;
                (<$env>::ACTIONS, <$env>::SEEN, <$env>::RANDOM)
            }

            fn reset<'py>(
                &mut self,
                py: Python<'py>,
                which: numpy::PyReadonlyArray1<'_, bool>,
                random: numpy::PyReadonlyArray2<'_, f32>,
            ) -> PyResult<$crate::envs::Seen<'py>> {
                self.0.reset(py, which, random)
            }

            fn step<'py>(
                &mut self,
                py: Python<'py>,
                actions: numpy::PyReadonlyArray2<'_, f32>,
                waits: numpy::PyReadonlyArray1<'_, bool>,
            ) -> PyResult<$crate::envs::Seen<'py>> {
                self.0.step(py, actions, waits)
            }

            /// Feet times steps of their worlds so far.
            #[getter]
            fn foot_steps(&self) -> u64 {
                self.0.foot_steps()
            }

            /// What a picture of one world needs: points by name, and the ground below.
            fn scene(&self, i: usize) -> PyResult<$crate::envs::Picture> {
                let env = self.0.envs.get(i).ok_or_else(|| {
                    pyo3::exceptions::PyIndexError::new_err(format!("world {i} of {}", self.0.envs.len()))
                })?;
                Ok(env.picture())
            }

            /// 64 bits of the ground of one world.
            fn hash(&self, i: usize) -> PyResult<String> {
                let env = self.0.envs.get(i).ok_or_else(|| {
                    pyo3::exceptions::PyIndexError::new_err(format!("world {i} of {}", self.0.envs.len()))
                })?;
                Ok(format!("{:016x}", env.world.hash()))
            }
        }
    };
}
pub(crate) use many;

/// Points by name, m, and places and heights of the ground along a line.
pub(crate) type Picture = (Vec<(&'static str, [f64; 2])>, Vec<[f64; 2]>);
