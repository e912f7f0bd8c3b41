// Shapes of secrets as people paste them and tools print them. No secret here ever was one: each is
// put together when the test runs, from a seed, so that no scanner of repositories takes it for one.

/** `#` is where the secret goes. */
export interface Shape {
  readonly text: string
  readonly secret: string
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const UPPER = LOWER.toUpperCase()
const ALL = LOWER + UPPER + DIGITS

/** Random texts of a seed; each has at least one letter and, from eight characters on, a digit. */
export class Letters {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1
  }

  #next(below: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * below)
  }

  of(alphabet: string, count: number): string {
    const drawn = Array.from({ length: count }, () => alphabet[this.#next(alphabet.length)]!)
    if (count >= 8 && alphabet.includes('7')) drawn[this.#next(count - 4) + 2] = '7'
    return drawn.join('')
  }

  any = (count: number) => this.of(ALL, count)
  hex = (count: number) => this.of('abcdef0123456789', count)
  upper = (count: number) => this.of(UPPER + '234567', count)
  lower = (count: number) => this.of(LOWER + DIGITS, count)
  url = (count: number) => this.of(`${ALL}_-`, count - 1) + this.of(ALL, 1)
  base64 = (count: number) => this.of(`${ALL}+/`, count - 2) + this.of(ALL, 2)
  digits = (count: number) => this.of(DIGITS, count)
  /** As people choose them. */
  password = () => {
    const words = ['hunter', 'correct', 'Tr0ub4dor', 'winter', 'letmein', 'dragon', 'Passw0rd']
    return `${words[this.#next(words.length)]}${this.of('!$%^*+-_.~', 1)}${this.of(DIGITS, 4)}`
  }
}

/** Keys with a form of their own: prefix and rest are joined here. */
function vendorKeys(l: Letters): string[] {
  const join = (...parts: string[]) => parts.join('')
  return [
    join('sk', '-', l.any(48)),
    join('sk', '-proj-', l.url(120)),
    join('sk', '-svcacct-', l.url(60)),
    join('sk', '-ant-api03-', l.url(93), 'AA'),
    join('sk', '-ant-admin01-', l.url(93), 'AA'),
    join('sk', '-or-v1-', l.hex(64)),
    join('gs', 'k_', l.any(52)),
    join('xa', 'i-', l.any(80)),
    join('pp', 'lx-', l.any(48)),
    join('nv', 'api-', l.url(64)),
    join('r', '8_', l.any(37)),
    join('h', 'f_', l.of(LOWER + UPPER, 34)),
    join('tv', 'ly-', l.any(32)),
    join('pc', 'sk_', l.url(60)),
    join('lsv2', '_pt_', l.hex(32), '_', l.hex(10)),
    ...['p', 'o', 'u', 's', 'r'].map((kind) => join('gh', kind, '_', l.any(36))),
    join('github', '_pat_', l.any(22), '_', l.any(59)),
    join('gl', 'pat-', l.url(20)),
    join('gl', 'rt-', l.url(20)),
    join('gl', 'dt-', l.url(20)),
    join('gl', 'ptt-', l.hex(40)),
    join('GR', '1348941', l.url(20)),
    join('np', 'm_', l.any(36)),
    join('py', 'pi-', 'AgEIcHlwaS5vcmc', l.url(120)),
    join('ruby', 'gems_', l.hex(48)),
    join('dckr', '_pat_', l.url(27)),
    join('AT', 'ATT3', l.url(186)),
    join('lin', '_api_', l.any(40)),
    join('fi', 'gd_', l.url(40)),
    join('nt', 'n_', l.digits(11), l.any(35)),
    join('PM', 'AK-', l.hex(24), '-', l.hex(34)),
    join('CF', 'PAT-', l.any(43)),
    join('NR', 'AK-', l.upper(27)),
    join('sntry', 'u_', l.hex(64)),
    join('AK', 'IA', l.upper(16)),
    join('AS', 'IA', l.upper(16)),
    join('AI', 'za', l.url(35)),
    join('GOC', 'SPX-', l.url(28)),
    join('ya', '29.', l.url(68)),
    join('1/', '/0', l.url(40)),
    join('do', 'p_v1_', l.hex(64)),
    join('da', 'pi', l.hex(32)),
    join('LT', 'AI', l.any(20)),
    join('hv', 's.', l.url(95)),
    join(l.any(14), '.atlas', 'v1.', l.url(65)),
    join('dp', '.pt.', l.any(43)),
    join('pscale', '_tkn_', l.url(43)),
    join('pul', '-', l.hex(40)),
    join('A', 'GE-SECRET-', 'KEY-1', l.upper(58)),
    join('xo', 'xb-', l.digits(12), '-', l.digits(12), '-', l.any(24)),
    join('xo', 'xp-', l.digits(12), '-', l.digits(12), '-', l.digits(12), '-', l.hex(32)),
    join('xa', 'pp-1-', l.upper(11), '-', l.digits(13), '-', l.hex(64)),
    join('sk', '_live_', l.any(24)),
    join('rk', '_test_', l.any(24)),
    join('wh', 'sec_', l.any(32)),
    join('sq', '0atp-', l.url(22)),
    join('sh', 'pat_', l.hex(32)),
    join('sh', 'pss_', l.hex(32)),
    join('S', 'G.', l.url(22), '.', l.url(43)),
    join('key', '-', l.hex(32)),
    join('S', 'K', l.hex(32)),
    join('xkey', 'sib-', l.hex(64), '-', l.any(16)),
    join('gl', 'sa_', l.any(32), '_', l.hex(8)),
    join('pat', l.any(14), '.', l.hex(64)),
    join('sb', 'p_', l.hex(40)),
    join('ph', 'x_', l.any(43)),
    join('e', 'yJ', l.any(18), '.', 'ey', 'J', l.any(30), '.', l.url(43)),
    join('ops', '_ey', 'J', l.base64(120)),
  ]
}

/** Around a value: how programs spell what they are given. */
function named(l: Letters): [text: string, secret: string][] {
  const plain = () => l.password()
  const user = `${l.lower(5)}`
  const login = Buffer.from(`${user}:${plain()}`).toString('base64')
  return [
    // Variables.
    ['SECRET_NAME=#', plain()],
    ['PASSWORD_PROD=#', plain()],
    ['TOKEN_VALUE=#', l.any(20)],
    ['SECRET_ID=#', l.any(20)],
    ['CREDENTIALS=#', l.any(20)],
    ['DB_PASS=#', plain()],
    ['SMTP_PASS="#"', plain()],
    ['MYSQL_PWD=#', plain()],
    ['PGPASSWORD=# psql -h db', plain()],
    ['export DATABASE_PASSWORD="#"', plain()],
    ['AWS_SECRET_ACCESS_KEY=#', l.base64(40)],
    ['AWS_SESSION_TOKEN=#', l.base64(200)],
    ['set STRIPE_SECRET=#', l.any(24)],
    ['$env:GITHUB_TOKEN = "#"', l.any(30)],
    ['ENV API_TOKEN=#', l.any(30)],
    ['NPM_TOKEN: #', l.any(30)],
    ['SECRET_KEY = "django-insecure-#"', l.of(`${ALL}!@^&*(-_=+)`, 40)],
    ['APP_KEY=base64:#=', l.base64(43)],
    ['JWT_SECRET: "#"', plain()],
    ['REDIS_PASSWORD=#', plain()],
    ['SSHPASS=# sshpass -e ssh host', plain()],
    ['PASSPHRASE=#', plain()],
    ['GPG_PASSPHRASE="#"', 'violet otter cabinet thunder'],
    ['os.environ["API_KEY"] = "#"', l.any(32)],
    ['process.env.SESSION_SECRET = "#"', l.any(32)],
    // Fields.
    ['password: #', plain()],
    ['password: "#"', 'correct horse battery staple'],
    ["passphrase: '#'", 'velvet anchor comet marble'],
    ['dbPassword: "#"', plain()],
    ['{"userPassword":"#"}', plain()],
    ['{"adminPassword": "#", "x": 1}', plain()],
    ['{\\"password\\":\\"#\\"}', plain()],
    ['smtp_pass = "#"', plain()],
    ['Server=db;Database=app;User Id=sa;Pwd=#;', plain()],
    ['Server=db;User Id=sa;Password=#;Encrypt=true', plain()],
    ['DefaultEndpointsProtocol=https;AccountName=a;AccountKey=#;EndpointSuffix=x', l.base64(86)],
    ['Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=#', l.base64(43)],
    ['client_secret=#', l.any(32)],
    ['clientSecret: "#"', l.any(32)],
    ['"client_secret": "#"', l.any(32)],
    ['accessToken = "#"', l.any(32)],
    ['"refresh_token":"#"', l.any(32)],
    ['githubToken: "#"', l.any(32)],
    ['bearer_token: #', l.any(32)],
    ['bot_token = #', l.any(32)],
    ['x-api-key: #', l.any(32)],
    ['apiKey="#"', l.hex(32)],
    ['apikey=#', l.hex(32)],
    ['private_key: "#"', l.base64(60)],
    ['secretAccessKey: "#"', l.base64(40)],
    ['aws_secret_access_key = #', l.base64(40)],
    ['secret_key_base: #', l.hex(128)],
    ['encryption_key: "#"', l.base64(43)],
    ['signingKey: "#"', l.hex(64)],
    ['PrivateKey = #=', l.base64(43)],
    ['PresharedKey = #=', l.base64(43)],
    ['psk="#"', plain()],
    ['    client-key-data: #', l.base64(200)],
    ['    token: #', l.any(40)],
    ['_auth=#', l.base64(40)],
    ['//registry.npmjs.org/:_authToken=#', l.any(36)],
    ['//registry/:_password="#"', l.base64(24)],
    ['{"auths":{"r.io":{"auth":"#"}}}', login],
    ['Ocp-Apim-Subscription-Key: #', l.hex(32)],
    ['PRIVATE-TOKEN: #', l.any(20)],
    ['X-Auth-Token: #', l.any(32)],
    ['X-Vault-Token: #', l.any(26)],
    ["define('DB_PASSWORD', '#');", plain()],
    ["define('AUTH_SALT', '#');", l.of(`${ALL}!@^&*(-_=+)`, 40)],
    [":password => '#'", plain()],
    ['password := "#"', plain()],
    ['spring.datasource.password=#', plain()],
    ['ansible_become_password: #', plain()],
    ['requirepass=#', plain()],
    ['requirepass #', plain()],
    // Headers and cookies.
    ['Authorization: Bearer #', l.url(40)],
    ['authorization: Basic #', login],
    ['Proxy-Authorization: Basic #', login],
    ['Authorization: token #', l.hex(40)],
    ['Authorization: #', l.hex(40)],
    ['-H "Authorization: Bearer #"', l.url(40)],
    ['Cookie: session=#; theme=dark', l.any(32)],
    ['Set-Cookie: sid=#; Path=/; HttpOnly', l.any(32)],
    ['{"cookie": "connect.sid=#"}', l.any(32)],
    ['curl --cookie "SESSION=#" https://x', l.any(32)],
    // URLs.
    [`postgres://${user}:#@db:5432/app`, plain()],
    [`postgres://${user}:#@db`, `hunt@er${l.digits(2)}`],
    ['redis://:#@cache:6379/0', plain()],
    [`mongodb+srv://${user}:#@c.mongodb.net/db`, plain()],
    [`amqp://${user}:#@mq/vhost`, plain()],
    [`https://${user}:#@github.com/o/r.git`, l.any(40)],
    ['https://oauth2:#@gitlab.com/o/r.git', l.any(20)],
    ['https://#@o1.ingest.sentry.io/2', l.hex(32)],
    ['jdbc:mysql://h/db?user=a&password=#', plain()],
    ['https://x.blob.core.windows.net/c?sv=2022&sig=#', `${l.any(40)}%3D`],
    ['https://b.s3.amazonaws.com/k?X-Amz-Signature=#', l.hex(64)],
    ['https://maps.googleapis.com/maps/api/js?key=#', l.any(39)],
    ['https://hooks.slack.com/services/T#', `${l.upper(8)}/B${l.upper(8)}/${l.any(24)}`],
    ['https://discord.com/api/webhooks/123456789012345678/#', l.url(68)],
    ['https://acme.webhook.office.com/webhookb2/#', `${l.hex(8)}-${l.hex(27)}@${l.hex(36)}`],
    ['https://api.telegram.org/bot#/getMe', `${l.digits(10)}:AA${l.url(33)}`],
    ['bot token is #', `${l.digits(10)}:AA${l.url(33)}`],
    // Commands.
    ['curl -u ada:# https://x', plain()],
    ['curl --user "ada:#" https://x', plain()],
    ['curl -s -X POST -u ada:# https://x', plain()],
    ['mysql --host db --password #', plain()],
    ['mysql -u root -p# app', plain()],
    ['psql --password "#"', plain()],
    ['deploy --api-key # --region eu', l.any(32)],
    ['vault login --token #', l.any(26)],
    ['gh auth login --with-token #', l.any(26)],
    ['sshpass -p # ssh ada@host', plain()],
    ['docker login -u ada -p # r.io', plain()],
    ['redis-cli -h cache -a # ping', plain()],
    ['ldapsearch -x -D cn=a -w # -b dc=x', plain()],
    ["smbclient //h/s -U 'ada%#'", plain()],
    ['htpasswd -bc .htpasswd ada #', plain()],
    ['openssl rsa -in k.pem -passin pass:#', plain()],
    ['keytool -storepass # -list', plain()],
    ['machine github.com login ada password #', plain()],
    ['machine h\n  login ada\n  password #', plain()],
    ['db:5432:app:ada:#', plain().replace(/[:\\]/g, '')],
    ["CREATE USER ada IDENTIFIED BY '#'", plain()],
    ["ALTER ROLE ada WITH PASSWORD '#'", plain()],
    ['ConvertTo-SecureString "#" -AsPlainText', plain()],
    // Markup.
    ['<password>#</password>', plain()],
    ['<db:apiKey>#</db:apiKey>', l.any(32)],
    ['<add key="SmtpPassword" value="#" />', plain()],
    // Keys as blocks, and hashes.
    ['-----BEGIN RSA PRIVATE KEY-----\n#\n-----END RSA PRIVATE KEY-----', l.base64(64)],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\\n#\\n-----END OPENSSH PRIVATE KEY-----', l.base64(64)],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n#\n', l.base64(64)],
    ['ada:#', `$2b$12$${l.any(53)}`],
    ['root:#:19000:0:99999:7:::', `$6$${l.any(8)}$${l.any(86)}`],
    ['the key is #', l.of(ALL, 44)],
  ]
}

/** Every shape once; the same seed gives the same texts. */
export function secretShapes(seed: number): Shape[] {
  const letters = new Letters(seed)
  const around = ['#', 'key: #', 'curl -H "X-Key: #"', '{"value":"#"}', 'export A=#', '(see #)']
  const byForm = vendorKeys(letters).map((secret, index) => ({
    text: around[index % around.length]!.replace('#', () => secret),
    secret,
  }))
  const byPlace = named(letters).map(([text, secret]) => ({
    text: text.replace('#', () => secret),
    secret,
  }))
  return [...byForm, ...byPlace]
}

/** Whether a half of the secret, at its beginning or its end, is still there. */
export function isLeaked(redacted: string, secret: string): boolean {
  const half = Math.max(4, Math.floor(secret.length / 2))
  return redacted.includes(secret.slice(0, half)) || redacted.includes(secret.slice(-half))
}
