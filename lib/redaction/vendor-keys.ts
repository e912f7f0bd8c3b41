// Keys that a vendor marks with a prefix or a fixed form.

import { REDACTED, type Rule } from './rule.js'

const WORD = '[A-Za-z0-9_-]'

/** Prefixes, and what follows each of them. */
const KEYS: readonly (readonly [prefixes: string, rest: string])[] = [
  // Models and their tools.
  ['sk- xai- pplx- nvapi- tvly- csk- pk-lf-', `${WORD}{12,}`],
  ['gsk_ r8_ fw_ e2b_ rpa_ jina_ pcsk_ hf_ api_org_ lsv2_pt_ lsv2_sk_ tgp_v1_', `${WORD}{18,}`],
  ['sb_secret_ figd_ rdme_ pnu_ phx_ ntn_ tfp_ nfp_ sbp_ sgp_ bkua_', '[A-Za-z0-9_=.-]{18,}'],
  // Code and packages.
  ['ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{20,}'],
  ['github_pat_', '[A-Za-z0-9_]{20,}'],
  ['glpat- glrt- gldt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-', `[A-Za-z0-9_.-]{16,}`],
  ['glcbt- GR1348941', `${WORD}{16,}`],
  ['npm_', '[A-Za-z0-9]{30,}'],
  ['pypi-Ag', `${WORD}{40,}`],
  ['rubygems_', '[a-f0-9]{40,}'],
  ['CLOJARS_', '[a-z0-9]{50,}'],
  ['oy2', '[a-z0-9]{43}'],
  ['dckr_pat_ dckr_oat_ CCIPAT_ CCIPRJ_', `${WORD}{20,}`],
  ['ATATT3 ATCTT3 ATBB', '[A-Za-z0-9_=-]{24,}'],
  ['AKCp', '[A-Za-z0-9]{60,}'],
  ['pul-', '[a-f0-9]{40}'],
  ['sntrys_ sntryu_', '[A-Za-z0-9_=+/-]{40,}'],
  ['lin_api_ lin_oauth_', '[A-Za-z0-9]{30,}'],
  ['PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['CFPAT- HRKU-', `${WORD}{40,}`],
  ['NRAK- NRJS- NRII- API-', '[A-Z0-9]{26,}'],
  // Clouds.
  ['AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}'],
  ['ABSK', '[A-Za-z0-9+/]{60,}={0,2}'],
  ['AIza', `${WORD}{30,}`],
  ['GOCSPX- ya29. hvs. hvb. hvr.', `${WORD}{20,}`],
  ['1//0', `${WORD}{30,}`],
  ['dop_v1_ doo_v1_ dor_v1_', '[a-f0-9]{40,}'],
  ['dapi SK key-', '[a-f0-9]{32}'],
  ['LTAI', '[A-Za-z0-9]{16,}'],
  ['AKID', '[A-Za-z0-9]{30,}'],
  ['dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', '[A-Za-z0-9._-]{30,}'],
  ['pscale_tkn_ pscale_pw_ pscale_oauth_', '[A-Za-z0-9_.-]{30,}'],
  ['fo1_', `${WORD}{40,}`],
  ['fm1a_ fm1r_ fm2_', '[A-Za-z0-9+/]{60,}={0,3}'],
  ['dt0c01.', '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{50,}'],
  ['sha256~', `${WORD}{40,}`],
  ['v1.0-', '[a-f0-9]{24}-[a-f0-9]{100,}'],
  ['ops_eyJ', '[A-Za-z0-9+/]{60,}={0,3}'],
  ['A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'],
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'],
  // Messages, money and other services.
  ['xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp-', '[A-Za-z0-9-]{10,}'],
  ['xapp-', '[0-9]-[A-Za-z0-9-]{20,}'],
  ['sk_live_ sk_test_ sk_prod_ pk_live_ pk_test_ rk_live_ rk_test_', '[A-Za-z0-9]{10,}'],
  ['whsec_', '[A-Za-z0-9+/]{20,}={0,2}'],
  ['sq0atp- sq0csp-', `${WORD}{20,}`],
  ['EAA', '[A-Za-z0-9_-]{50,}'],
  ['shpat_ shpca_ shppa_ shpss_', '[a-fA-F0-9]{32}'],
  ['SG.', `${WORD}{16,}\\.${WORD}{16,}`],
  ['xkeysib- xsmtpsib-', '[a-f0-9]{60,}-[A-Za-z0-9]{16}'],
  ['glsa_ glc_', '[A-Za-z0-9+/_-]{30,}={0,2}'],
  ['pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['duffel_live_ duffel_test_ shippo_live_ shippo_test_', '[A-Za-z0-9_=-]{30,}'],
  ['EZAK EZTK', '[A-Za-z0-9]{50,}'],
  ['FLWSECK- FLWSECK_TEST-', '[A-Za-z0-9]{12,}(?:-X)?'],
  ['fio-u-', '[A-Za-z0-9_=-]{50,}'],
  ['sl.', `${WORD}{80,}`],
  ['amzn.mws.', '[a-f0-9-]{36}'],
  ['p8e- ico-', '[A-Za-z0-9]{32}'],
  ['secret_', '[A-Za-z0-9]{40,}'],
]

interface Entry {
  readonly prefix: string
  readonly rest: string
}

/** Tries the first letter once for all prefixes that begin with it, and so on. */
function toPattern(entries: readonly Entry[]): string {
  const branches = new Map<string, Entry[]>()
  for (const { prefix, rest } of entries) {
    const branch = branches.get(prefix.slice(0, 1)) ?? []
    branches.set(prefix.slice(0, 1), [...branch, { prefix: prefix.slice(1), rest }])
  }
  const alternatives = [...branches].map(([letter, branch]) =>
    letter === '' ? branch[0]!.rest : letter.replace('.', '\\.') + toPattern(branch),
  )
  return alternatives.length === 1 ? alternatives[0]! : `(?:${alternatives.join('|')})`
}

let vendorKey: RegExp | undefined

/** Made at its first use: it takes longer than a hook may take to load, and few hooks redact. */
function makeVendorKey(): RegExp {
  const entries = KEYS.flatMap(([prefixes, rest]) =>
    prefixes.split(' ').map((prefix) => ({ prefix, rest })),
  )
  return new RegExp(`\\b${toPattern(entries)}(?![A-Za-z0-9_])`, 'g')
}

/** A name that only begins like a key has no digit: `sk-learn-contrib-package`. */
const NAME = /^(?:sk|xai|pplx|nvapi|tvly|csk|pk-lf)-[^0-9]*$/

// Without a prefix: bots of Telegram and Discord, Terraform Cloud, Entra, Mailchimp. Where a rare mark
// is in the middle, the search begins there, and the id before it stays.
const MARKED_KEY = new RegExp(
  [
    ':AA(?<=\\b[0-9]{8,10}:AA)[A-Za-z0-9_-]{30,}',
    `\\.(?=${WORD}{6}\\.${WORD}{27})(?<=\\b[MNO]${WORD}{23,27}\\.)${WORD}{6}\\.${WORD}{27,}`,
    '\\.atlasv1\\.(?<=\\b[A-Za-z0-9]{14}\\.atlasv1\\.)[A-Za-z0-9_=-]{50,}',
    'Q~(?<=[A-Za-z0-9_~.]{3}[0-9]Q~)[A-Za-z0-9_~.-]{30,}',
    '\\b[a-f0-9]{32}-us[0-9]{1,2}\\b',
  ].join('|'),
  'g',
)

// Hashes of passwords: those of crypt(3), with their salt.
const CRYPT =
  /\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|y|7|apr1)\$[./A-Za-z0-9$=,]{1,40}\$[./A-Za-z0-9]{22,86}|argon2(?:id?|d)\$[A-Za-z0-9$=,+/]{40,300})/g

export const vendorKeys: Rule = {
  name: 'vendor-key',
  redact: (text) => {
    vendorKey ??= makeVendorKey()
    return text
      .replace(vendorKey, (key) => (NAME.test(key) ? key : REDACTED))
      .replace(MARKED_KEY, REDACTED)
      .replace(CRYPT, REDACTED)
  },
}
