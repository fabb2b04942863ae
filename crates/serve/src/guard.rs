//! `Guard`: refuses requests that name another host or come from another origin.
//!
//! A page of another site cannot read the responses of this server, but without these checks it
//! could make the user's browser send requests (start a training), and by DNS rebinding (its own
//! name resolved to the loopback address) it could read the responses, too.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::Access;
use crate::error::ApiError;

/// The address of this server, and who may enter it; `None` for everyone.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    access: Option<Access>,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr, access: Option<Access>) -> Guard {
        Guard { address, access }
    }

    /// Checks the origin and the host of a request.
    fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = text(headers, &header::HOST).unwrap_or_default();
        if !self.is_own(host) {
            let (host, address) = (short(host), self.address);
            let error = format!("host {host:?} is not this server: open http://{address}/");
            return Err(ApiError::Forbidden(error));
        }
        // Browsers send it with every request that another page can cause and that changes state.
        if let Some(origin) = text(headers, &header::ORIGIN) {
            let own = origin.strip_prefix("http://").is_some_and(|host| self.is_own(host));
            if !own {
                let origin = short(origin);
                let error = format!("requests from {origin:?} are not allowed");
                return Err(ApiError::Forbidden(error));
            }
        }
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        // A link on another site may open the page: opening it changes nothing.
        let navigation = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
        match site {
            Some("cross-site" | "same-site") if !navigation => {
                Err(ApiError::Forbidden("requests from another site are not allowed".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Whether a host with its port is this server. An IP address cannot be rebound by DNS.
    fn is_own(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        match bare.parse::<IpAddr>() {
            Ok(ip) => {
                ip == self.address.ip() || self.address.ip().is_unspecified() || {
                    ip.is_loopback() && self.address.ip().is_loopback()
                }
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

/// Answers only requests that pass the guard, and adds the security headers: the page may load from
/// and talk to this server only.
pub(crate) async fn guarded(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.check(request.headers()) {
        Ok(()) => match guard.access.as_ref().and_then(|access| access.check(&request)) {
            None => next.run(request).await,
            Some(response) => response,
        },
        Err(error) => error.into_response(),
    };
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                  connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().unwrap(), None)
    }

    #[test]
    fn only_its_own_names_and_ports_are_this_server() {
        let own = guard("127.0.0.1:8048");
        for host in ["127.0.0.1:8048", "localhost:8048", "LOCALHOST:8048", "[::1]:8048"] {
            assert!(own.is_own(host), "{host}");
        }
        for host in [
            "",
            "evil.example:8048",
            "127.0.0.1:80",
            "127.0.0.1",
            "localhost",
            "localhost.:8048",
            "127.0.0.1.nip.io:8048",
            "10.0.0.1:8048",
            "[::1]",
            "127.0.0.1:8048:8048",
            "user@127.0.0.1:8048",
        ] {
            assert!(!own.is_own(host), "{host}");
        }
        assert!(guard("127.0.0.1:80").is_own("127.0.0.1"));
        assert!(guard("192.168.1.5:8048").is_own("192.168.1.5:8048"));
        assert!(!guard("192.168.1.5:8048").is_own("127.0.0.1:8048"));
        assert!(guard("0.0.0.0:8048").is_own("192.168.1.5:8048"));
        assert!(!guard("0.0.0.0:8048").is_own("my.example:8048"));
    }

    #[test]
    fn other_sites_may_only_link_to_the_page() {
        let own = guard("127.0.0.1:8048");
        let allowed = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("127.0.0.1:8048"));
            for &(name, value) in pairs {
                headers.insert(name, HeaderValue::from_static(value));
            }
            own.check(&headers).is_ok()
        };
        assert!(allowed(&[]));
        assert!(allowed(&[("origin", "http://127.0.0.1:8048"), ("sec-fetch-site", "same-origin")]));
        assert!(allowed(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]));
        assert!(!allowed(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]));
        assert!(!allowed(&[("sec-fetch-site", "same-site"), ("sec-fetch-mode", "cors")]));
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8048", "http://127.0.0.1"]
        {
            assert!(!allowed(&[("origin", origin)]), "{origin}");
        }
    }
}
