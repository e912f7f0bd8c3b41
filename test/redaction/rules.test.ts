// The table of T48: what is redacted and into what, and what is left alone. Every string is
// redacted twice, because whatever is served was often redacted when it was stored.
//
// No secret here ever was one; they are put together so that no scanner takes them for one.

import { expect, test } from 'vitest'
import { DEFAULT_RULES, redactText } from '../../lib/redaction/index.js'

const KEY = ['MIIEpAIBAAKCAQEA1/x+', 'k8s', 'Zm9v'].join('\n')
const pem = (kind: string) => `-----BEGIN ${kind}-----\n${KEY}\n-----END ${kind}-----`
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n'].join(
  '.',
)
const letters = (count: number) => 'aB3xQ9'.repeat(count).slice(0, count)

const SECRETS: readonly (readonly [rule: string, text: string, redacted: string])[] = [
  ['private-key', `a ${pem('RSA PRIVATE KEY')} b`, 'a [REDACTED] b'],
  ['private-key', pem('PRIVATE KEY'), '[REDACTED]'],
  ['private-key', pem('ENCRYPTED PRIVATE KEY').replaceAll('\n', '\\n'), '[REDACTED]'],
  ['private-key', pem('PGP PRIVATE KEY BLOCK'), '[REDACTED]'],
  ['private-key', `${pem('EC PRIVATE KEY')}\n${pem('EC PRIVATE KEY')}`, '[REDACTED]\n[REDACTED]'],
  ['private-key', '-----BEGIN PRIVATE KEY-----\nabc (cut off', '[REDACTED]'],
  [
    'private-key',
    `-----BEGIN PRIVATE KEY-----\n${KEY}\n[${'.'.repeat(30_000)}`,
    `[REDACTED][${'.'.repeat(30_000)}`,
  ],
  [
    'private-key',
    `-----BEGIN PRIVATE KEY-----\nabc\n-----BEGIN CERTIFICATE-----`,
    '[REDACTED]-----BEGIN CERTIFICATE-----',
  ],
  ['authorization', 'Bearer abc123def456', 'Bearer [REDACTED]'],
  ['authorization', 'Bearer my-own-token', 'Bearer [REDACTED]'],
  ['authorization', 'Basic dXNlcjpwYXNzd29yZA==', 'Basic [REDACTED]'],
  ['authorization', 'Token 9944b09199c62bcf', 'Token [REDACTED]'],
  ['authorization', 'authorization: bearer my-own-token', 'authorization: bearer [REDACTED]'],
  [
    'authorization',
    `h["Authorization"] = 'token abc-def-g'`,
    `h["Authorization"] = 'token [REDACTED]'`,
  ],
  ['authorization', `Authorization: ${letters(20)}`, 'Authorization: [REDACTED]'],
  ['authorization', '{"auth":"YWRhOmh1bnRlcjIy"}', '{"auth":"[REDACTED]"}'],
  ['cookie', 'Cookie: sid=abcd; theme=dark\nHost: x', 'Cookie: [REDACTED]\nHost: x'],
  ['cookie', 'Set-Cookie: sid=abcd; Path=/', 'Set-Cookie: sid=[REDACTED]; Path=/'],
  ['cookie', `-H 'cookie: sid=abcd' x`, `-H 'cookie: [REDACTED]' x`],
  ['jwt', `jwt ${JWT}.`, 'jwt [REDACTED].'],
  ['jwt', `${JWT}.${letters(20)}.${letters(20)}`, '[REDACTED]'],
  ['jwt', JWT.split('.').slice(0, 2).join('.'), '[REDACTED]'],
  ...[
    `sk-${letters(24)}`,
    `sk-ant-api03-${letters(24)}`,
    `sk-proj-${letters(24)}`,
    `sk_${'live'}_${letters(24)}`,
    `rk_${'test'}_${letters(24)}`,
    ...['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_${letters(36)}`),
    `github_pat_${letters(22)}_${letters(30)}`,
    `glpat-${letters(20)}`,
    `xoxb-1234567890-${letters(12)}`,
    `npm_${letters(36)}`,
    `hf_${letters(34)}`,
    `AIza${letters(35)}`,
    `AKIA${'Q7'.repeat(8)}`,
    `ASIA${'Q7'.repeat(8)}`,
  ].map((key) => ['vendor-key', `curl -u ${key}: x`, 'curl -u [REDACTED]: x'] as const),
  ['url-password', 'postgres://ada:hunter2@db:5432/app', 'postgres://[REDACTED]@db:5432/app'],
  ['url-password', 'redis://:hunter2@cache:6379', 'redis://[REDACTED]@cache:6379'],
  ['url-password', 'git clone https://ada:x@host/r.git', 'git clone https://[REDACTED]@host/r.git'],
  ['url-password', 'postgres://u:hunt@er22@db', 'postgres://[REDACTED]@db'],
  ['url-password', `https://x/y?sig=${letters(20)}&a=1`, 'https://x/y?sig=[REDACTED]&a=1'],
  [
    'webhook-url',
    `https://hooks.slack.com/services/T0/B0/${letters(24)}`,
    'https://hooks.slack.com/services/[REDACTED]',
  ],
  [
    'webhook-url',
    `https://discord.com/api/webhooks/12345678/${letters(60)}`,
    'https://discord.com/api/webhooks/12345678/[REDACTED]',
  ],
  ['command-line', 'curl -u ada:hunter2 https://x', 'curl -u ada:[REDACTED] https://x'],
  ['command-line', 'login --password hunter2 now', 'login --password [REDACTED] now'],
  ['command-line', `login --db-password 'a b c'`, `login --db-password '[REDACTED]'`],
  ['command-line', 'mysql -u root -phunter2 app', 'mysql -u root -p[REDACTED] app'],
  ['command-line', 'machine h login ada password x1y', 'machine h login ada password [REDACTED]'],
  ['command-line', `CREATE USER a IDENTIFIED BY 'abc'`, `CREATE USER a IDENTIFIED BY '[REDACTED]'`],
  ['markup-field', '<password>hunter2</password>', '<password>[REDACTED]</password>'],
  ['markup-field', '<add key="ApiKey" value="ab cd" />', '<add key="ApiKey" value="[REDACTED]" />'],
  ['secret-variable', 'GITHUB_TOKEN=abcd', 'GITHUB_TOKEN=[REDACTED]'],
  ...['SECRET_NAME', 'PASSWORD_PROD', 'TOKEN_VALUE', 'SECRET_ID', 'CREDENTIALS', 'DB_PASS'].map(
    (name) => ['secret-variable', `${name}=abcd`, `${name}=[REDACTED]`] as const,
  ),
  ['secret-variable', 'export DB_PASSWORD="hunter22"', 'export DB_PASSWORD="[REDACTED]"'],
  ['secret-variable', "AWS_SECRET_ACCESS_KEY: 'wJa/K7'", "AWS_SECRET_ACCESS_KEY: '[REDACTED]'"],
  ['secret-variable', '{"API_KEY_2":"abcd","a":1}', '{"API_KEY_2":"[REDACTED]","a":1}'],
  ['secret-variable', '{\\"DB_PASSWORD\\":\\"a,b;c\\"}', '{\\"DB_PASSWORD\\":\\"[REDACTED]\\"}'],
  ['secret-variable', '$API_KEYS=hunter22', '$API_KEYS=[REDACTED]'],
  ['secret-variable', '$PASSWORD = "hunter22"', '$PASSWORD = "[REDACTED]"'],
  ['secret-variable', 'DB_PASSWORD=123456', 'DB_PASSWORD=[REDACTED]'],
  ['secret-variable', 'A_TOKEN=ab[REDACTED]', 'A_TOKEN=[REDACTED]'],
  ['secret-variable', 'MY_CREDENTIALS="cut-of', 'MY_CREDENTIALS="[REDACTED]'],
  ['variable-mention', 'echo $SECRET_NAME', 'echo [REDACTED]'],
  ['variable-mention', `curl -H "X: \${API_TOKEN}"`, 'curl -H "X: [REDACTED]"'],
  ['variable-mention', '$KEY', '[REDACTED]'],
  ['secret-field', 'password: hunter22', 'password: [REDACTED]'],
  ['secret-field', 'password=string1234', 'password=[REDACTED]'],
  ['secret-field', 'password: string-1234', 'password: [REDACTED]'],
  ['secret-field', '{"token":"abcdef12","x":1}', '{"token":"[REDACTED]","x":1}'],
  ['secret-field', '(password=hunter22)', '(password=[REDACTED])'],
  ['secret-field', 'aws_secret_access_key = wJa/lrX', 'aws_secret_access_key = [REDACTED]'],
  ['secret-field', "client_secret => 'a,b;cd'", "client_secret => '[REDACTED]'"],
  ['secret-field', 'x-api-key: 0123456', 'x-api-key: [REDACTED]'],
  ['secret-field', 'accessToken = "abcdefg"', 'accessToken = "[REDACTED]"'],
  ['secret-field', 'Your token:\n  abcdefg', 'Your token:\n  [REDACTED]'],
  ['secret-field', 'dbPassword: "hunter22"', 'dbPassword: "[REDACTED]"'],
  ['secret-field', '{"userPassword":"hunter22"}', '{"userPassword":"[REDACTED]"}'],
  ['secret-field', 'x;Pwd=hunter22;y', 'x;Pwd=[REDACTED];y'],
  ['secret-field', 'password: "four random plain words"', 'password: "[REDACTED]"'],
  ['base64', `x ${letters(40)} y`, 'x [REDACTED] y'],
  ['base64', `${letters(41)}+==`, '[REDACTED]'],
]

const NO_SECRETS: readonly string[] = [
  '',
  'token counting',
  'password validation',
  'Basic authentication',
  'Basic JavaScript, Basic TypeScript.',
  'Basic end-to-end tests',
  'Token LinkedList',
  'Token read/write access',
  'Bearer tokens.',
  'Bearer AccessToken',
  'The secret of the password is the key to the token.',
  'max_tokens: 200000',
  'MAX_TOKENS=200000',
  'MAX_THINKING_TOKENS="10000"',
  'TOKENIZERS_PARALLELISM=false',
  'tokenizer=cl100k_base',
  'eos_token: "<|endoftext|>"',
  'const password: string',
  'function login(password: string, token: number): void',
  'token: number',
  'password: String!',
  'secret: string | undefined',
  'token: Optional[str] = None',
  'secret: process.env.FOO',
  'const API_KEY = process.env.API_KEY',
  'API_KEY: string',
  'api_key = os.environ["KEY"]',
  'if (token === expectedToken) return',
  'Token::from_string(x)',
  'API_KEY=\nDEBUG=true',
  'password: "Please enter your password"',
  'credentials: "include"',
  'Token\n=====\n',
  'primary_key: account_id',
  'PRIMARY_KEY: customer_id',
  'DOM_KEY_LOCATION_LEFT: 0x01',
  'sk-learn-contrib-package',
  'token: CancellationToken, other: Type',
  'password: z.ZodOptional<z.ZodString>;',
  'type Token = SourceToken | ErrorToken',
  'const token = await getToken()',
  'const token = createToken(user)',
  'PWD=/home/ada pwd: "/srv/app"',
  'OLDPWD=/home/ada',
  'ALL_TESTS_PASS: true',
  'PASS: 12 of 14 tests',
  'next_token: "abcdefgh", progressToken: abcdefgh',
  '--token TOKEN, --password <password>, --secret string',
  '--password Ask for the password',
  'docker run -u 1000:1000 image',
  'login with password authentication',
  'Cookie: none',
  '<key>CFBundleName</key>',
  '"auth": "required"',
  'Authorization: required-for-all-requests',
  `$HOME/$USER and \${PATH} on a $KEYBOARD`,
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '550e8400-e29b-41d4-a716-446655440000',
  '/home/Ada/projects/App2/src/components/buttons/Primary/index',
  'C:\\Users\\Ada\\Documents\\projects\\2026\\application\\source\\main',
  `sha512-${letters(86)}==`,
  'http://localhost:3000/@scope/package',
  'ssh://git@host:22/path',
  'https://example.com/a:b@c',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'task-forced sk-SK risk-averse-behaviour',
  'ghp_short AKIA and xoxb- in prose',
  'eyJ is how it begins',
  'token: [REDACTED], password="[REDACTED]" and Bearer [REDACTED]',
  `$API_KEY=[REDACTED] \${API_KEY}: "[REDACTED]" API_KEY=[REDACTED]`,
  'postgres://[REDACTED]@db/app',
]

// Requirement: 000-57
test.each(SECRETS)('%s: redacts %j and keeps its name', (rule, text, redacted) => {
  expect(redactText(text)).toBe(redacted)
  expect(redactText(redacted)).toBe(redacted)
  const own = DEFAULT_RULES.find(({ name }) => name === rule)!
  expect(own.redact(text)).not.toBe(text)
})

test.each(NO_SECRETS)('%j is not a secret', (text) => {
  expect(redactText(text)).toBe(text)
})

test('the rules have a fixed order, and each has examples in this table', () => {
  const names = DEFAULT_RULES.map(({ name }) => name)
  expect(names).toEqual([...new Set(SECRETS.map(([rule]) => rule))])
  expect(SECRETS.length + NO_SECRETS.length).toBeGreaterThanOrEqual(100)
})
