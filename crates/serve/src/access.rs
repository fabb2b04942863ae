//! `Access`: who may enter a server that other machines can reach.
//!
//! The link that the terminal shows has a token that works once: it is exchanged for a cookie, and
//! the terminal shows the next link. On loopback everyone may enter.

use std::hint::black_box;
use std::sync::Mutex;

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc::UnboundedSender;

use crate::error::error_response;
use crate::limits::MAX_COOKIES;
use crate::lru_store::lock;

/// 128 random bits, which nobody guesses.
type Secret = [u8; 16];

const REFUSED: &str = "this server lets in only who opens the link that its terminal shows, which \
                       works once: open the newest link or scan its QR code";

/// The token that was not used yet, and the cookies that were given for others.
#[derive(Debug)]
pub(crate) struct Access {
    /// The name of the cookie: browsers send cookies to all ports of a host.
    cookie: String,
    state: Mutex<State>,
    /// Receives the token of the next link.
    links: UnboundedSender<String>,
}

#[derive(Debug)]
struct State {
    token: Secret,
    cookies: Vec<Secret>,
}

impl Access {
    /// Lets in who has the token that `links` receives, or a cookie.
    pub(crate) fn new(
        port: u16,
        links: UnboundedSender<String>,
    ) -> Result<Access, getrandom::Error> {
        let token = secret()?;
        // Nobody reads the links of a server that stops.
        let _ = links.send(hex(&token));
        let state = Mutex::new(State { token, cookies: Vec::new() });
        Ok(Access { cookie: format!("afterstate-{port}"), state, links })
    }

    /// The response to a request that may not pass: the cookie for a token, or a refusal.
    pub(crate) fn check(&self, request: &Request) -> Option<Response> {
        if self.has_cookie(request.headers()) {
            return None;
        }
        let token = token(request.method(), request.uri());
        Some(match token.and_then(|token| self.exchange(&token)) {
            Some(Ok(cookie)) => {
                // `Lax`: a link in a message of another site may open the page.
                let cookie = format!("{}={cookie}; Path=/; HttpOnly; SameSite=Lax", self.cookie);
                let headers = [(header::SET_COOKIE, &*cookie), (header::LOCATION, "/")];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
            Some(Err(error)) => {
                let error = format!("no random numbers for a cookie: {error}");
                error_response(StatusCode::INTERNAL_SERVER_ERROR, &error)
            }
            None => error_response(StatusCode::UNAUTHORIZED, REFUSED),
        })
    }

    /// A cookie for the token, which is used by that.
    fn exchange(&self, token: &Secret) -> Option<Result<String, getrandom::Error>> {
        let mut state = lock(&self.state);
        if !same(&state.token, token) {
            return None;
        }
        let (cookie, next) = match (secret(), secret()) {
            (Ok(cookie), Ok(next)) => (cookie, next),
            (Err(error), _) | (_, Err(error)) => return Some(Err(error)),
        };
        state.token = next;
        if state.cookies.len() == MAX_COOKIES {
            state.cookies.remove(0);
        }
        state.cookies.push(cookie);
        let _ = self.links.send(hex(&next));
        Some(Ok(hex(&cookie)))
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get_all(header::COOKIE).into_iter().filter_map(|one| one.to_str().ok());
        let pairs = sent.flat_map(|one| one.split(';')).filter_map(|pair| pair.split_once('='));
        let own = pairs.filter(|(name, _)| name.trim() == self.cookie);
        let sent: Vec<Secret> = own.filter_map(|(_, value)| parse(value.trim())).collect();
        let state = lock(&self.state);
        // All are compared, so that the time does not tell which one was nearly right.
        let pairs = sent.iter().flat_map(|one| state.cookies.iter().map(move |own| (one, own)));
        pairs.fold(false, |found, (one, own)| found | same(one, own))
    }
}

/// The token in a request for the page.
fn token(method: &Method, uri: &Uri) -> Option<Secret> {
    let is_page = method == Method::GET && uri.path() == "/";
    parse(uri.query()?.strip_prefix("token=")?).filter(|_| is_page)
}

fn secret() -> Result<Secret, getrandom::Error> {
    let mut secret = Secret::default();
    getrandom::fill(&mut secret).map(|()| secret)
}

/// Compares in a time that does not depend on where the first difference is.
fn same(one: &Secret, other: &Secret) -> bool {
    let pairs = one.iter().zip(other);
    black_box(pairs.fold(0, |different, (a, b)| different | black_box(a ^ b))) == 0
}

fn hex(secret: &Secret) -> String {
    secret.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The secret of 32 hexadecimal digits.
fn parse(text: &str) -> Option<Secret> {
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_written_and_read() {
        let secret: Secret = *b"\0\x01\x02 0123456789a\xfe";
        assert_eq!(parse(&hex(&secret)), Some(secret));
        assert!(same(&secret, &secret.clone()));
        for at in 0..16 {
            let mut other = secret;
            other[at] ^= 0x80;
            assert!(!same(&secret, &other), "byte {at}");
        }
        for wrong in ["", "0", &"0".repeat(31), &"0".repeat(33), &"g".repeat(32), &"+".repeat(32)] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_ne!(super::secret().unwrap(), super::secret().unwrap());
    }

    #[test]
    fn only_a_request_for_the_page_has_a_token() {
        let query = format!("token={}", "0".repeat(32));
        let found = |method: Method, uri: &str| token(&method, &uri.parse().unwrap()).is_some();
        assert!(found(Method::GET, &format!("/?{query}")));
        assert!(!found(Method::POST, &format!("/?{query}")));
        assert!(!found(Method::GET, &format!("/api/runs?{query}")));
        assert!(!found(Method::GET, &format!("/?x=1&{query}")));
        assert!(!found(Method::GET, "/"));
    }

    #[test]
    fn old_cookies_are_evicted() {
        let (links, mut shown) = tokio::sync::mpsc::unbounded_channel();
        let access = Access::new(1, links).unwrap();
        let mut cookies = Vec::new();
        for _ in 0..=MAX_COOKIES {
            let token = parse(&shown.try_recv().unwrap()).unwrap();
            cookies.push(access.exchange(&token).unwrap().unwrap());
            assert!(access.exchange(&token).is_none(), "used twice");
        }
        let enters = |cookie: &str| {
            let mut headers = HeaderMap::new();
            let value = format!("other=1; afterstate-1={cookie}; more=2");
            headers.insert(header::COOKIE, value.parse().unwrap());
            access.has_cookie(&headers)
        };
        assert!(!enters(&cookies[0]) && enters(&cookies[1]) && enters(&cookies[MAX_COOKIES]));
        assert!(!enters("") && !enters(&"0".repeat(32)));
    }
}
