//! Trainings: started, followed, stopped and resumed, in this process and in another.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fs, io, thread};

use afterstate_core::Device;
use afterstate_core::cluster::{InProcess, connect};
use afterstate_engine::cluster::prepare;
use afterstate_serve::client::Client;
use afterstate_train::Hardware;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::BUILT_IN;
use afterstate_train::run::{Folder, Observer, Status};
use serde_json::{Value, json};

use crate::{Server, until};

const SMALL: [&str; 2] = ["network.tuples=['0134', '0125']", "log.window=50"];

fn run(server: &Server, name: &str) -> Value {
    let (status, runs) = server.get("/api/runs");
    assert_eq!(status, 200, "{runs}");
    let found = runs.as_array().unwrap().iter().find(|run| run["name"] == name);
    found.cloned().unwrap_or(Value::Null)
}

#[test]
fn a_training_is_started_followed_and_measured() {
    let server = Server::start();
    let request = json!({"recipe": "2048-3x3", "threads": 1, "games": 5,
        "settings": ["network.tuples=['0134', '0125']", "log.window=50", "budget.episodes=300"]});
    let (status, started) = server.post("/api/runs", &request);
    assert_eq!((status, &started["name"]), (200, &json!("2048-3x3-1")), "{started}");
    until("the end", || run(&server, "2048-3x3-1")["training"]["state"] == "done");
    let done = run(&server, "2048-3x3-1");
    assert_eq!((&done["state"], &done["windows"]), (&json!("finished"), &json!(6)), "{done}");
    assert_eq!(done["strength"]["games"], 5, "{done}");
    let (status, curves) = server.get("/api/curves?runs=2048-3x3-1");
    assert_eq!((status, &curves[0]["unit"]), (200, &json!("points")), "{curves}");
    assert_eq!(curves[0]["windows"].as_array().map(Vec::len), Some(6), "{curves}");
    let (_, agents) = server.get("/api/agents?game=2048:3x3");
    let trained = agents.as_array().unwrap().iter().find(|one| one["id"] == "runs/2048-3x3-1");
    let trained = trained.unwrap();
    assert!(trained["mean"].as_f64().is_some(), "{agents}");
    assert_eq!(trained["about"], "2048:3x3, network of 2 tuples, trained on 300 games");
    assert_eq!(server.post("/api/runs/2048-3x3-1/resume", &json!({})).0, 409);
    // A finished run can be measured again, with more games.
    assert_eq!(server.post("/api/runs/2048-3x3-1/resume", &json!({"games": 7})).0, 200);
    until("the evaluation", || run(&server, "2048-3x3-1")["strength"]["games"] == 7);
    until("the end", || run(&server, "2048-3x3-1")["training"]["state"] == "done");
    assert_eq!(server.post("/api/runs/2048-3x3-1/stop", &json!({})).0, 409);
}

/// Pipes and devices without an end among the files of runs: the page says what is wrong or leaves them
/// out, and none of its workers waits for them. There are more such runs than workers.
#[cfg(unix)]
#[test]
fn pipes_and_devices_among_the_files_of_runs_hang_no_worker() {
    let server = Server::start();
    let settings: Vec<String> =
        SMALL.iter().chain(&["budget.episodes=100"]).map(|&text| text.to_owned()).collect();
    let (_, text) = BUILT_IN.iter().find(|recipe| recipe.0 == "2048-3x3").unwrap();
    let recipe = Recipe::parse(text, &settings).unwrap();
    let whole = server.runs().join("whole");
    let folder = Folder::create(&whole, recipe).unwrap();
    let engine = afterstate_engine::open(&folder.recipe().rules);
    let stop = AtomicBool::new(false);
    engine.train(&folder, Hardware::threads(1), &stop, &mut NoObserver).unwrap();
    drop(folder);
    let mut names = vec!["whole".to_owned()];
    for name in
        ["recipe.toml", "metrics.jsonl", "checkpoint.safetensors", "agent.safetensors", "lock"]
    {
        for device in [false, true] {
            let copy = format!("{}-{device}", name.split('.').next().unwrap());
            let run = server.runs().join(&copy);
            names.push(copy);
            fs::create_dir(&run).unwrap();
            for file in fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().path()) {
                fs::copy(&file, run.join(file.file_name().unwrap())).unwrap();
            }
            let path = run.join(name);
            fs::remove_file(&path).unwrap();
            if device {
                std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            } else {
                assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            }
        }
    }
    let address = server.address;
    let asked = thread::spawn(move || {
        for name in &names {
            let client = || Client::connect(address).unwrap();
            for path in [
                format!("/api/curves?runs={name}"),
                "/api/runs".to_owned(),
                "/api/agents?game=2048:3x3".to_owned(),
            ] {
                let status = client().request("GET", &path, None).unwrap().status;
                assert!(status < 600, "{path}: {status}");
            }
            let game = json!({"game": "2048:3x3", "seed": 1}).to_string();
            let (_, game) = client().request("POST", "/api/games", Some(&game)).unwrap().json();
            let path = format!("/api/games/{}/agent", game["id"].as_str().unwrap());
            let agent = json!({"revision": game["revision"], "agent": format!("runs/{name}"),
                "search": "greedy", "moves": 1, "ms": 5});
            client().request("POST", &path, Some(&agent.to_string())).unwrap();
            let path = format!("/api/runs/{name}/resume");
            client().request("POST", &path, Some("{\"games\":0}")).unwrap();
        }
    });
    until("all were answered", || asked.is_finished());
    asked.join().unwrap();
    let (status, runs) = server.get("/api/runs");
    assert_eq!(status, 200);
    assert!(runs.as_array().unwrap().iter().any(|run| run["name"] == "whole"), "{runs}");
}

#[test]
fn trainings_are_stopped_resumed_and_limited() {
    let mut server = Server::start();
    let request = json!({"recipe": "2048-3x3", "threads": 1, "seconds": 600.0, "settings": SMALL});
    for name in ["2048-3x3-1", "2048-3x3-2"] {
        let (status, started) = server.post("/api/runs", &request);
        assert_eq!((status, &started["name"]), (200, &json!(name)), "{started}");
    }
    let (status, refused) = server.post("/api/runs", &request);
    assert_eq!(status, 503);
    assert_eq!(refused["error"], "2 of 2 trainings are running: stop one first");
    assert!(
        !server.runs().join("2048-3x3-3").exists(),
        "a training that does not start leaves no folder"
    );
    until("it runs", || run(&server, "2048-3x3-1")["state"] == "running");
    assert_eq!(server.post("/api/runs/2048-3x3-1/stop", &json!({})).0, 200);
    until("it is stopped", || run(&server, "2048-3x3-1")["state"] == "stopped");
    until("its thread is done", || run(&server, "2048-3x3-1")["training"]["state"] == "done");
    assert_eq!(server.post("/api/runs/2048-3x3-1/resume", &json!({"threads": 1})).0, 200);
    until("it is resumed", || run(&server, "2048-3x3-1")["state"] == "running");
    // The server ends trainings with a checkpoint.
    server.stop().unwrap();
    for name in ["2048-3x3-1", "2048-3x3-2"] {
        let folder = Folder::open(&server.runs().join(name)).unwrap();
        assert!(!folder.is_training() && folder.position().unwrap().is_some(), "{name}");
    }
}

/// Two trainings of a game that never ends, as many as may run: both end with their budget, and another one
/// is started.
#[test]
fn trainings_of_endless_games_do_not_block_others() {
    let server = Server::start();
    let request = json!({"recipe": "2048-3x3", "threads": 1, "games": 0, "seconds": 0.5, "settings":
        ["game=1010:3x3,pieces=3", "network.tuples=012345678", "network.initial=0",
         "phase.0.rate=0.1", "phase.1.rate=0.1"]});
    for _ in 0..3 {
        until("there is a place", || server.post("/api/runs", &request).0 == 200);
    }
    for name in ["2048-3x3-1", "2048-3x3-2", "2048-3x3-3"] {
        until("it ends", || {
            let training = run(&server, name)["training"].clone();
            assert_ne!(training["state"], "failed", "{training}");
            training["state"] == "done"
        });
        assert_eq!(run(&server, name)["state"], "finished");
    }
}

#[test]
fn a_resumed_training_is_measured_as_it_was_started() {
    let server = Server::start();
    let mut request = json!({"recipe": "2048-3x3", "threads": 1, "games": 5, "settings": SMALL});
    let settings = request["settings"].as_array_mut().unwrap();
    settings.push(json!("budget.episodes=1000000000"));
    assert_eq!(server.post("/api/runs", &request).0, 200);
    let name = "2048-3x3-1";
    until("it plays", || run(&server, name)["windows"].as_u64() > Some(0));
    assert_eq!(server.post(&format!("/api/runs/{name}/stop"), &json!({})).0, 200);
    until("it is stopped", || run(&server, name)["training"]["state"] == "done");
    let stopped = run(&server, name);
    assert!(stopped["strength"].is_null(), "{stopped}");
    assert!(stopped["disk_bytes"].as_u64() > Some(100_000), "{stopped}");
    // Its end comes near.
    let recipe = server.runs().join(name).join("recipe.toml");
    let text = std::fs::read_to_string(&recipe).unwrap();
    let end = stopped["episodes"].as_u64().unwrap() + 20;
    std::fs::write(&recipe, text.replace("1000000000", &end.to_string())).unwrap();
    assert_eq!(server.post(&format!("/api/runs/{name}/resume"), &json!({})).0, 200);
    until("the end", || run(&server, name)["training"]["state"] == "done");
    let done = run(&server, name);
    assert_eq!((&done["state"], &done["strength"]["games"]), (&json!("finished"), &json!(5)));
    let (status, refused) =
        server.post(&format!("/api/runs/{name}/resume"), &json!({"games": 1_000_000}));
    assert_eq!(status, 400, "{refused}");
}

struct NoObserver;

impl Observer for NoObserver {
    fn round(&mut self, _: &Status) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_training_of_another_process_is_followed_and_stopped() {
    let server = Server::start();
    let settings = SMALL.iter().map(|text| (*text).to_owned());
    let settings: Vec<String> = settings.chain(["budget.seconds=600".to_owned()]).collect();
    let text = BUILT_IN.iter().find(|recipe| recipe.0 == "2048-3x3").unwrap().1;
    let recipe = Recipe::parse(text, &settings).unwrap();
    let folder = Folder::create(&server.runs().join("elsewhere"), recipe).unwrap();
    let other = thread::spawn(move || {
        let engine = afterstate_engine::open(&folder.recipe().rules);
        engine.train(&folder, Hardware::threads(1), &AtomicBool::new(false), &mut NoObserver)
    });
    until("it is seen to run", || {
        let seen = run(&server, "elsewhere");
        seen["state"] == "running" && seen["windows"].as_u64() > Some(0)
    });
    let seen = run(&server, "elsewhere");
    assert!(seen["training"].is_null() && seen["seconds_left"].as_f64() > Some(1.0), "{seen}");
    assert_eq!(server.post("/api/runs/elsewhere/resume", &json!({})).0, 409, "it runs already");
    assert_eq!(server.post("/api/runs/elsewhere/stop", &json!({})).0, 200);
    let outcome = other.join().unwrap().unwrap();
    assert!(!outcome.finished, "stopped, not finished");
    assert_eq!(run(&server, "elsewhere")["state"], "stopped");
}

#[test]
fn a_training_on_a_cluster_shows_its_workers_and_the_dashboard() {
    let server = Server::start();
    let url = "http://127.0.0.1:8265";
    connect(Arc::new(InProcess::new(2, prepare).shown_at(url)));
    let text = BUILT_IN.iter().find(|recipe| recipe.0 == "tetris-ce").unwrap().1;
    let settings = ["budget.seconds=600", "log.window=50"].map(str::to_owned);
    let recipe = Recipe::parse(text, &settings).unwrap();
    let folder = Folder::create(&server.runs().join("shared"), recipe).unwrap();
    let dashboard = folder.path().join("dashboard");
    let other = thread::spawn(move || {
        let engine = afterstate_engine::open(&folder.recipe().rules);
        let hardware = Hardware { device: Device::Cluster, ..Hardware::threads(1) };
        engine.train(&folder, hardware, &AtomicBool::new(false), &mut NoObserver)
    });
    until("workers are seen", || run(&server, "shared")["extra"]["workers"] == 2.0);
    let seen = run(&server, "shared");
    assert_eq!((&seen["dashboard"], &seen["extra"]["lost tasks"]), (&json!(url), &json!(0.0)));
    assert!(seen["extra"]["games/s"].as_f64() > Some(0.0), "{seen}");
    // The page makes a link of it: nothing else than the address of a page may stand there.
    for wrong in ["javascript:alert(1)", "http://a b", "", "http://\u{e9}"] {
        std::fs::write(&dashboard, wrong).unwrap();
        assert!(run(&server, "shared").get("dashboard").is_none(), "{wrong}");
    }
    std::fs::write(&dashboard, url).unwrap();
    assert_eq!(server.post("/api/runs/shared/stop", &json!({})).0, 200);
    assert!(!other.join().unwrap().unwrap().finished);
    assert!(run(&server, "shared").get("dashboard").is_none(), "it does not run any more");
}

#[test]
fn invalid_trainings_leave_no_folder() {
    let server = Server::start();
    for (request, status) in [
        (json!({"recipe": "2048-3x3", "seconds": -1.0}), 400),
        (json!({"recipe": "2048-3x3", "threads": 0}), 400),
        (json!({"recipe": "2048-3x3", "games": 1_000_000}), 400),
        (json!({"recipe": "2048-3x3", "settings": ["colour=1"]}), 400),
        (json!({"recipe": "2048-3x3", "settings": ["game=chess"]}), 400),
        (json!({"recipe": "tetris-evaluation", "settings": ["evaluation.agent=/etc/passwd"]}), 400),
        (json!({"recipe": "../recipes/2048"}), 404),
    ] {
        let (actual, refused) = server.post("/api/runs", &request);
        assert_eq!(actual, status, "{request}: {refused}");
    }
    assert_eq!(server.get("/api/runs").1, json!([]));
    std::fs::create_dir_all(server.runs().join("broken")).unwrap();
    std::fs::write(server.runs().join("broken/recipe.toml"), "nonsense").unwrap();
    let broken = run(&server, "broken");
    assert!(broken["error"].as_str().unwrap().contains("recipe.toml"), "{broken}");
    for (query, status) in
        [("", 400), ("runs=", 400), ("runs=broken", 500), ("runs=a,b,c,d,e,f,g,h", 400)]
    {
        assert_eq!(server.get(&format!("/api/curves?{query}")).0, status, "{query}");
    }
}
