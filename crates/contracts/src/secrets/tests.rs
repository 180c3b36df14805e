//! What is found, and what is left alone.

use super::*;

fn rules(text: &str) -> Vec<&'static str> {
    find(text).into_iter().map(|(_, rule)| rule.name).collect()
}

#[test]
fn every_pattern_is_one_and_names_its_secret() {
    for rule in RULES.iter().filter(|rule| rule.pattern != ASSIGNED) {
        let pattern = RegexBuilder::new(rule.pattern).size_limit(16 << 20).build().unwrap();
        assert!(pattern.captures_len() > 1, "{}", rule.name);
    }
    let names = |text: &str| {
        let met = RULES.iter().zip(hinted(text)).filter(|(_, starts)| !starts.is_empty());
        met.map(|(rule, _)| rule.name).collect::<Vec<_>>()
    };
    assert!(names("const a = 1;").is_empty());
    assert_eq!(names("PASSWORD = 'x'"), ["assigned-secret"]);
    assert_eq!(names("\"password\": \"x\""), ["assigned-secret"]);
    assert_eq!(names("const passwordOfSomebody: string\u{a0}=\n `x`"), ["assigned-secret"]);
    assert!(names("function login(password: string, name = 'x')").is_empty());
    assert!(names("interface Login { password: string; token?: Token }").is_empty());
    let names_of_nothing =
        "task-queue msg.payload basic auth, a bearer of news, redis and mongodb, npm_config, Asia/Tokyo";
    assert!(names(names_of_nothing).is_empty(), "{:?}", names(names_of_nothing));
}

#[test]
fn what_is_secret_is_found() {
    let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    for (text, rule) in [
        (format!("const t = 'ghp_{long}';"), "github-token"),
        ("aws: AKIAIOSFODNN7ABCDEFG".to_owned(), "aws-access-key"),
        (format!("key = \"sk_live_{long}\""), "stripe-key"),
        (format!("apikey2 = \"sk-{long}\""), "openai-key"),
        ("url = 'postgresql://u:hunter22@host/db'".to_owned(), "database-url"),
        ("url = 'mongodb+srv://u:p4ss@host'".to_owned(), "database-url"),
        ("const password: string = 'S3cr3t!pass';".to_owned(), "assigned-secret"),
        ("const jwtSecret = process.env.JWT || \"S3cr3t!pass\"".to_owned(), "assigned-secret"),
        ("db: { password: process.env['DB_P']! ?? `S3cr3t!pass` }".to_owned(), "assigned-secret"),
        ("token = get('x') || 'tok-93kd02kd93kd'".to_owned(), "assigned-secret"),
        ("headers['X-Api-Key'] = 'tok-93kd02kd93kd'".to_owned(), "assigned-secret"),
        (
            "k = '-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBGXo1n4B\n-----END PGP PRIVATE KEY BLOCK-----'"
                .to_owned(),
            "private-key",
        ),
        (format!("blob = 'vercel_blob_rw_{long}'"), "service-token"),
        ("mail('key-0123456789abcdef0123456789abcdef')".to_owned(), "mailgun-key"),
        (format!("fcm = 'AAAAx1y2z3w:APA91b{long}{long}{long}'"), "firebase-server-key"),
        ("latestToken = { token: \"tok-93kd02kd93kd\" }".to_owned(), "assigned-secret"),
        (format!("headers: {{ Authorization: 'Bearer {long}' }}"), "authorization-header"),
        (format!("eyJ{long}.eyJ{long}.{long}"), "json-web-token"),
        (format!("'SG.{}.{long}x7y8z9A'", &long[..22]), "sendgrid-key"),
        (format!("'hf_{long}'"), "hugging-face-token"),
        (format!("'AccountName=x;AccountKey={long}{long}==;'"), "azure-storage-key"),
        (format!("const t = 'github_pat_{long}{long}';"), "github-token"),
        ("'glpat-abcdefghij0123456789'".to_owned(), "gitlab-token"),
        ("'xoxb-0123456789'".to_owned(), "slack-token"),
        ("'https://hooks.slack.com/services/T0000000/B0000000/abc'".to_owned(), "slack-token"),
        ("'sk_test_0123456789abcdef'".to_owned(), "stripe-key"),
        ("'sk-ant-0123456789abcdef0123'".to_owned(), "openai-key"),
        (format!("'AIza{}'", &long[..35]), "google-key"),
        (format!("'npm_{long}'"), "npm-token"),
        (format!("'dop_v1_{}'", "0123456789abcdef".repeat(4)), "service-token"),
        ("'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'; x = `sbp_${id}`".to_owned(), "service-token"),
        (format!("x('hvs.{long}')"), "service-token"),
        (format!("`ya29.{long}`"), "service-token"),
        (format!("'https://discord.com/api/webhooks/123456789012345678/{long}{long}'"), "discord-webhook"),
        (format!("'123456789:AA{}'", &long[..33]), "telegram-token"),
        ("'eyJ01234567.eyJ01234567.01234567'".to_owned(), "json-web-token"),
        ("'redis://:p4ss@host'".to_owned(), "database-url"),
        ("fetch('https://deploy:S3cretPw99@registry.corp.io/x')".to_owned(), "url-password"),
        ("`ftp://:S3cret%21@${host}`; 'sftp://u:S3cret%21@10.0.0.1:22/'".to_owned(), "url-password"),
        ("git+https://ci:93kd02kd@[::1]/repo.git".to_owned(), "url-password"),
        ("const sid = 'SKb355f235f79c7f79b7aecca9ed085ebc';".to_owned(), "twilio-key"),
        (format!("'postgres://{}:p4ss@host'", "u".repeat(300)), "database-url"),
        (format!("'Basic\u{2003}\u{2003}\u{2003}\u{2003}{}=='", &long[..20]), "authorization-header"),
        (format!("password =\u{b}'{}1'", "q".repeat(511)), "assigned-secret"),
        ("é auth_token='tok-93kd02kd93kd'; token = 'x'".to_owned(), "assigned-secret"),
        ("secretToken: 'token-token-93kd'".to_owned(), "assigned-secret"),
        (format!("password\n{0}:\n{0}'S3cr3t!pass'", " ".repeat(200)), "assigned-secret"),
        ("password: 'Password1'".to_owned(), "assigned-secret"),
        ("password: 'Password!'".to_owned(), "assigned-secret"),
        ("adminPassword: 'SuperSecretAdminPassword'".to_owned(), "assigned-secret"),
        ("accessToken: 'aKdjQpZxYwVuTsRqPoNmLk'".to_owned(), "assigned-secret"),
        ("tokenUrl: 'https://host.io/hook?key=abcdefghijklmnop'".to_owned(), "assigned-secret"),
        ("tokenUrl: 'https://host.io/hooks/b355f235f79c7f79b7ae'".to_owned(), "assigned-secret"),
        ("tokenUrl: 'https://S3cretPw99@host.io/x'".to_owned(), "assigned-secret"),
    ] {
        assert_eq!(rules(&text), [rule], "{text}");
    }
}

#[test]
fn what_is_not_is_left_alone() {
    for text in [
        "const token = getToken();",
        "password: 'process.env.PASSWORD'",
        "type: 'access_token'",
        "tokenType = 'refresh-token'",
        "const secretName = 'your-secret-here'",
        "apiKey: '${API_KEY}'",
        "url = 'postgres://user:password@localhost/db'",
        "placeholder='Enter password'",
        "'https://user:password@host.io', 'https://user:pass@host.io', 'https://a:b@c'",
        "'https://user:S3cretPw99@example.org/x', 'http://u:S3cretPw99@api.Example.com:80/'",
        "`https://${user}:${password}@host.io`, `https://ci:${process.env.T0KEN}@host.io`",
        "'http://%s:%s@%s/', 'http://$USER:$PASS1@host', 'http://<user>:<pa55word>@host'",
        "'http://{user}:{pa55word}@host', 'http://user:[pa55word]@host', 'http://u:****@host'",
        "'https://host.io:8080@other', 'https://host.io:8080/@scope/name1@2', 'https://u:xxxxxxxx1@host'",
        "// see https://host.io/a:b1c2@d and http://host.io:8080?to=a@b.io",
        "'git+ssh://git@github.com:user/repo1.git', 'mailto:a1@b.io', \"://\"",
        "SKb355f235f79c7f79b7aecca9ed085ebcd, TASKb355f235f79c7f79b7aecca9ed085ebc, ask0, SKEW",
        "import { tokenize } from './token-stream';",
        "password: 'パスワードを確認してください。2', credential: 'Delegationslegitimation'",
        "AccessControlAllowCredentials: \"Access-Control-Allow-Credentials\"",
        "const OAUTH2_TOKEN = 'oauth2-token', errors = { tokenHasExpired: 'auth.errors.tokenHasExpired' }",
        "'x-amz-security-token-2': 'X-Amz-Security-Token-2', passwordIsMissing2 = 'MISSING2-password'",
        "tokenUrl: \"https://login.host.io/oauth2/v2.0/token?v=2\", tokenHost = 'https://host.io:8443'",
        "const key = 'AKIAIOSFODNN7EXAMPLE';",
        "{ token: 'RequestChainController' }, { token: 'AppV1Controller' }, { token: 'Symbol(ApplicationConfig)' }",
        "rememberCredentialsKey = 'window.rememberProxyCredentials', apiKeyHeader = 'X-Api-Key-V2'",
        "enum Kind { A = 'a', RS256_TOKENS = 'client-RS256-tokens', Password = 'b355f235-f79c-7f79-b7ae-cca9ed085ebc' }",
        "SERVER_TOKENFILE=\"$SERVER_DATA_DIR/.$DISTRO_COMMIT.token\"",
        &format!("const tokenizer = '{}1';", "q".repeat(512)),
    ] {
        assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn a_text_is_assigned_however_it_is_written() {
    for text in [
        "export const password = (\"S3v9dk20Lq81aa\");",
        "export const apiKey = /* prod */ 'S3v9dk20Lq81aa';",
        "export const apiKey /* prod */ = // of\n  // prod\n  ( /* it's */ 'S3v9dk20Lq81aa' as string);",
        "export const secret = \"S3v9'dk20Lq81aa\";",
        "export const secret = `S3v9\"dk'20Lq81aa`;",
        r"export const secret = 'S3v9\'dk20Lq81aa';",
        "const password = <string>\"S3v9dk20Lq81aa\"",
        "const password = <string | null>(<any>\"S3v9dk20Lq81aa\")",
        "const password = \"S3v9 dk20 Lq81jj!\"",
        "{ secret: ['S3v9dk20Lq81aa'] } as const",
        "{ passwords: [\n'S3v9dk20Lq81aa', // old\n 'S3v9dk20Lq81bb', other, ('S3v9dk20Lq81cc'),\n] }",
        "let token: string | null = 'S3v9dk20Lq81cc'",
        "class A { private token!: Array<string> | undefined =\n    'S3v9dk20Lq81cc' }",
        "f({ token: alias = 'S3v9dk20Lq81cc' })",
        "<Login token={'S3v9dk20Lq81xx'} apiKey={`S3v9dk20Lq81yy`}/>",
        "<Login token={ c ? 'S3v9dk20Lq81xx' : 'S3v9dk20Lq81yy' }/>",
        "password = c ? 'S3v9dk20Lq81kk' : 'S3v9dk20Lq81ll'",
        "password = c && 'S3v9dk20Lq81kk'",
        "const tokenPage = `<input type=text> <a password='S3v9dk20Lq81kk'>`",
        "password = c(a, { b: 'x' })\n  ? 'S3v9dk20Lq81kk'\n  : process.env.X?.y ?? 'S3v9dk20Lq81ll'",
        "const password =\n  process.env.NODE_ENV === 'production' ? a.b : 'S3v9dk20Lq81ll'",
    ] {
        let redacted = redact(text);
        assert!(!redacted.contains("S3v9") && redacted.contains(REDACTED), "{redacted}");
        assert!(scan(text).iter().all(|one| one.rule == "assigned-secret"), "{text}");
    }
}

#[test]
fn what_stands_near_a_name_is_not_assigned_to_it() {
    for text in [
        "token = f('S3v9dk20Lq81aa')",
        "token == 'S3v9dk20Lq81aa', token => 'S3v9dk20Lq81aa', token: (a) => 'S3v9dk20Lq81aa'",
        "token: string\n  name = 'S3v9dk20Lq81aa'",
        "token = other\n  + 'S3v9dk20Lq81aa'",
        "token: { 'S3v9dk20Lq81aa': 1 }, tokens={'S3v9dk20Lq81aa':1}",
        "(token: string, name = 'S3v9dk20Lq81aa') => a ? 'S3v9dk20Lq81aa' : b",
        "const token = a < b, c = d ? 'S3v9dk20Lq81aa' : e",
        "token: a, b: 'S3v9dk20Lq81aa'",
        "<A token={t} name='S3v9dk20Lq81aa' />",
        "password: 'Say what section2 of the Manual9 says', token: 'RS256 ES256'",
        "password = \"It's 2 late, isn't it\"",
        "// the token:\n  const a = 'S3v9dk20Lq81aa'",
    ] {
        assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn what_is_escaped_is_found_as_it_is_meant() {
    for (text, rest) in [
        (
            r"export const esc = '\u0067hp_abcdefghijklmnopqrstuvwxyz0123456789'",
            "export const esc = 'PRIVATE_DATA'",
        ),
        (r"'\u{67}h\x70_abcdefghijklmnopqrstuvwxyz012345678\u0039' // \u00e9", r"'PRIVATE_DATA' // \u00e9"),
        (
            "'ghp_abcdefghijk\\\nlmnopqrstuvwxyz0123456789';\nconst a = 1\n",
            "'PRIVATE_DATA\\\n';\nconst a = 1\n",
        ),
        ("const password = 'S3v9dk\\\r\n20Lq\\\n';", "const password = 'PRIVATE_DATA\\\n\\\n';"),
        (r"const p\u0061ssword = 'S3v9dk20Lq'", r"const p\u0061ssword = 'PRIVATE_DATA'"),
        ("a = 'x\\\ny\\u0041z'; b = /\\\\u0041/", "a = 'x\\\ny\\u0041z'; b = /\\\\u0041/"),
    ] {
        assert_eq!(redact(text), rest);
    }
}

#[test]
fn a_private_key_is_gone_with_its_body_and_lines_stay() {
    let text = "const k = `-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nMIIdef\n-----END RSA PRIVATE KEY-----`;\nconst after = 1;\n";
    let redacted = redact(text);
    assert!(!redacted.contains("MII") && redacted.contains(REDACTED));
    assert_eq!(redacted.lines().count(), text.lines().count());
}

#[test]
fn a_private_key_is_known_however_it_is_written() {
    const KEY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    for (text, rest) in [
        (
            format!(r"const k = '-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----';"),
            "const k = '",
        ),
        (
            format!(
                "['-----BEGIN PRIVATE KEY-----', '{KEY}', '{KEY}=', '-----END PRIVATE KEY-----'].join('\n')"
            ),
            "'].join(",
        ),
        (
            format!(
                "'-----BEGIN EC PRIVATE KEY-----\\n' +\n  \"{KEY}\\n\" +\n  '-----END EC PRIVATE KEY-----'"
            ),
            "PRIVATE KEY-----'",
        ),
        (
            format!("const k = '-----BEGIN PRIVATE KEY-----\\n{KEY}'\nexport const after = 1;"),
            "'\nexport const after = 1;",
        ),
        (
            format!(
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}\n-----END RSA PRIVATE KEY-----"
            ),
            "-----END",
        ),
    ] {
        let redacted = redact(&text);
        assert!(!redacted.contains("MIIE") && redacted.contains(rest), "{redacted}");
    }
}

#[test]
fn code_about_private_keys_is_left_alone() {
    for text in [
        "s.startsWith('-----BEGIN PRIVATE KEY-----');\nexport function after(a: string): number { return 1 }\n",
        "const head = '-----BEGIN PRIVATE KEY-----'\nexport class Mid {}\nconst foot = '-----END PRIVATE KEY-----'\n",
        "`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`",
        r"text.match(/-----BEGIN PRIVATE KEY-----([\s\S]*)-----END PRIVATE KEY-----/)",
        "'-----BEGIN PRIVATE KEY-----<your key>-----END PRIVATE KEY-----'",
        "text.replace(/-----BEGIN PRIVATE KEY-----/, '').replace(/-----END PRIVATE KEY-----/, '')",
    ] {
        assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn the_report_never_holds_the_secret() {
    let text = "// é\nconst password = 'S3cr3t!pass', token = 'tok-93kd02kd93kd';\n";
    let found = scan(text);
    assert_eq!(
        found.iter().map(|secret| (secret.line, secret.column)).collect::<Vec<_>>(),
        [(2, 19), (2, 42)]
    );
    let written = serde_json::to_string(&found).unwrap();
    assert!(!written.contains("S3cr3t") && !written.contains("93kd"), "{written}");
}
