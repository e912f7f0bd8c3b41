// Secrets that are recognized by where they are: in a URL, in a header, in the arguments of a command,
// in SQL, in markup. What is around them stays.

import { patternRule, REDACTED, type Rule } from './rule.js'

const KEEP = `$1${REDACTED}`
/** No rule changes its own result. */
const FRESH = String.raw`(?!\[REDACTED\])`

/**
 * `scheme://user:password@`; the user may be missing, and the password may hold an `@`. The search
 * begins at the rare `://`.
 */
const USER_INFO =
  /:\/\/(?<=[a-z0-9+.-]:\/\/)(?!\[REDACTED\]@)(?:[^\s/:@]{0,200}:[^\s/@]{1,200}@(?:[^\s/@?#"'<>,;()]{1,200}@){0,4}|[a-f0-9]{32}@)/gi

/** A parameter that signs the URL, or is the key to it. */
const SIGNATURE = new RegExp(
  `([?&](?:sig|[Ss]ignature|X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|key|code)=)` +
    String.raw`(${FRESH}[^\s&"'<>#]{16,})`,
  'g',
)

export const urlPasswords: Rule = {
  name: 'url-password',
  redact: (text) =>
    text
      .replace(USER_INFO, `://${REDACTED}@`)
      .replace(SIGNATURE, (match, name: string, value: string) =>
        /\d/.test(value) ? name + REDACTED : match,
      ),
}

/** URLs to which anyone may post. */
export const webhookUrls: Rule = patternRule(
  'webhook-url',
  new RegExp(
    [
      String.raw`(\bhooks\.slack\.com/(?:services|workflows|triggers)/`,
      String.raw`\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{5,25}/`,
      String.raw`\.webhook\.office\.com/webhookb2/`,
      String.raw`\boutlook\.office\.com/webhook/`,
      String.raw`\bhooks\.zapier\.com/hooks/catch/`,
      String.raw`\bmaker\.ifttt\.com/trigger/[\w-]{1,60}/with/key/`,
      String.raw`\bapi\.telegram\.org/bot)${FRESH}[\w@:/+%-]{12,}`,
    ].join('|'),
    'g',
  ),
  KEEP,
)

const SET_COOKIE = new RegExp(
  String.raw`((?<![A-Za-z0-9])[Ss]et-[Cc]ookie["']?[ \t]{0,4}[:=][ \t]{0,4}["'\`]?[^\s=;"'\`]{1,100}=)` +
    String.raw`${FRESH}[^\s;"'\`]{4,}`,
  'g',
)
const COOKIES = new RegExp(
  String.raw`((?<![A-Za-z0-9-])(?:[Cc]ookie["']?[ \t]{0,4}:|--cookie[ =])[ \t]{0,4}["'\`]?)` +
    String.raw`${FRESH}(?=[^\s=;"'\`,<>]{1,64}=[^\s;"'\`])[^\r\n"'\`]+`,
  'g',
)

/** `Cookie: …` as a whole, of `Set-Cookie: name=…; Path=/` the value. */
export const cookies: Rule = {
  name: 'cookie',
  redact: (text) => text.replace(SET_COOKIE, KEEP).replace(COOKIES, KEEP),
  redactMember: (name, text) =>
    /^(?:set-)?cookie$/i.test(name) && /^[^\s=;]{1,100}=./.test(text) ? REDACTED : text,
}

const SECRET_FLAG =
  '(?:pass(?:word|wd|phrase|in|out|code)?|pwd|token|secret|api-?key|access-?key|secret-?key|private-?key' +
  '|storepass|keypass|credential)'
/** `--db-password`, `-password`, and a value after a space. */
const FLAGS = new RegExp(
  String.raw`((?<![\w-])--?(?:[A-Za-z0-9]{1,30}[-_]){0,3}${SECRET_FLAG}[ \t]{1,2})` +
    String.raw`${FRESH}("[^"\n]{4,200}"|'[^'\n]{4,200}'|(?![-<[({$%"'\`|&>=])[^\s"'\`]{4,200})(?=([ \t]+[a-z(]{2,})?)`,
  'gi',
)
/** A name in its place, or the next word of a sentence. */
const PLACEHOLDER =
  /^(?:[A-Z_]+|string|number|value|token|password|secret|key|required|optional)[,.;:)\]]?$/

const VALUE = String.raw`["']?)${FRESH}[^\s"']{3,200}`
/** Programs that take a secret as an argument, and the argument. */
const PROGRAMS = [
  [
    'curl',
    String.raw`(\s(?:-u|--user|--proxy-user|-U)(?:[ \t]{0,4}|=)["']?[^\s:"']{1,100}:${VALUE}`,
  ],
  ['mysql(?:dump|admin|import|show)?', String.raw`(\s-p(?![\s[])${VALUE}`],
  [
    'sshpass|(?:docker|podman|az|oc|helm|nerdctl)(?: registry)? login',
    String.raw`(\s-p[ \t]+${VALUE}`,
  ],
  ['redis-cli', String.raw`(\s-a[ \t]+${VALUE}`],
  ['ldap[a-z]{2,8}', String.raw`(\s-w[ \t]+${VALUE}`],
  ['smbclient', String.raw`(\s-U[ \t]+["']?[^\s%"']{1,100}%${VALUE}`],
  [
    'htpasswd',
    String.raw`(\s-[a-zA-Z]{0,8}b[a-zA-Z]{0,8}[ \t]+\S{1,200}[ \t]+\S{1,100}[ \t]+${VALUE}`,
  ],
].map(([program, argument]) => ({
  program: new RegExp(`^(?:${program})$`),
  argument: new RegExp(argument!, 'g'),
  source: program!,
}))
const PROGRAM = new RegExp(`\\b(?:${PROGRAMS.map(({ source }) => source).join('|')})\\b`, 'g')

/** Each line of a command is read once, however many programs it names. */
function redactArguments(text: string): string {
  let redacted = ''
  let copied = 0
  PROGRAM.lastIndex = 0
  for (let found = PROGRAM.exec(text); found !== null; found = PROGRAM.exec(text)) {
    const start = PROGRAM.lastIndex
    const end = endOfCommand(text, start)
    const { argument } = PROGRAMS.find(({ program }) => program.test(found![0]))!
    redacted += text.slice(copied, start) + text.slice(start, end).replace(argument, KEEP)
    copied = end
    PROGRAM.lastIndex = end
  }
  return redacted + text.slice(copied)
}

/** A backslash at the end continues the line. */
function endOfCommand(text: string, start: number): number {
  let end = text.indexOf('\n', start)
  while (end > 0 && text[end - 1] === '\\') end = text.indexOf('\n', end + 1)
  return end === -1 ? text.length : end
}

const LOGINS = new RegExp(
  [
    String.raw`((?:\bmachine\s{1,8}\S{1,200}|\bdefault)\s{1,8}login\s{1,8}\S{1,100}\s{1,8}password\s{1,8}`,
    String.raw`\b(?:requirepass|masterauth)[ \t]+`,
    String.raw`:5432:[\w*-]{1,60}:[\w*.-]{1,60}:${VALUE}`,
  ].join('|'),
  'g',
)
const STATEMENTS = new RegExp(
  [
    String.raw`(\b(?:identified[ \t]+by(?:[ \t]+password)?|password)[ \t]+'`,
    String.raw`\bConvertTo-SecureString[ \t]+(?:-String[ \t]+)?["']`,
    String.raw`\bdefine\([ \t]*["'][a-z0-9_]{0,40}(?:key|salt|password|secret|token)["'][ \t]*,[ \t]*["'])${FRESH}[^"'\n]{3,200}`,
  ].join('|'),
  'gi',
)

/** `--password x`, `curl -u user:x`, `.netrc`, `IDENTIFIED BY 'x'`. */
export const commandLines: Rule = {
  name: 'command-line',
  redact: (text) =>
    redactArguments(text)
      .replace(FLAGS, (match, flag: string, value: string, next: string | undefined) => {
        const isProse = next !== undefined && /^[A-Za-z]+$/.test(value)
        if (isProse || PLACEHOLDER.test(value)) return match
        const quote = /^["']/.exec(value)?.[0] ?? ''
        return flag + quote + REDACTED + quote
      })
      .replace(LOGINS, KEEP)
      .replace(STATEMENTS, KEEP),
}

const SECRET_TAG = '(?:password|passwd|passphrase|secret|token|api-?key|access-?key|private-?key)'
const ELEMENTS = new RegExp(
  String.raw`(<(?:[a-z][\w.:-]{0,40})?${SECRET_TAG}>)${FRESH}[^<>\s]{4,200}(?=</)`,
  'gi',
)
const ATTRIBUTES = new RegExp(
  String.raw`(\b(?:key|name)=["'][^"'\n]{0,80}?${SECRET_TAG}["'][ \t]+value=["'])${FRESH}[^"'\n]{4,200}`,
  'gi',
)

/** `<password>x</password>`, `<add key="ApiKey" value="x" />`. */
export const markupFields: Rule = {
  name: 'markup-field',
  redact: (text) => text.replace(ELEMENTS, KEEP).replace(ATTRIBUTES, KEEP),
}
