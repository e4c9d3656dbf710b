/** The rules of secretlint: its recommended ones, and patterns of this repository. */
import { creator as pattern } from '@secretlint/secretlint-rule-pattern'
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend'

// Brackets around a letter keep a pattern from matching itself.
const PATTERNS: Readonly<Record<string, string>> = {
  "a path of one machine's work folder": '/(?<![\\w.@*}-])[/]work[/]/',
  "a path of one machine's temporary folder": '/(?<![\\w.@*}-])[/]tm[p][/]/',
  "a path of one machine's home": '/(?<![\\w.@*}-])[/](?:roo[t]\\b|(?:hom[e]|User[s])[/]\\w)/',
  'the address of a package registry':
    '/https?:[/][/][^\\s"\'/]*(?:npmjs|yarnpkg|npmmirror|jfrog|verdaccio)[^\\s"\'/]*|registry[.]npmj[s]/i',
  'a private key': '/-----BEGIN [A-Z ]*PRIVATE KE[Y]-----/',
  'an access token of GitLab': '/\\bglpa[t]-[\\w-]{20,}/',
  'an access key of AWS': '/\\b(?:AKI[A]|ASI[A])[0-9A-Z]{16}\\b/',
  'a lockfile entry with a download address': '/\\bresolution: .*\\btarbal[l]:/',
}

export const RULES = [
  {
    id: '@secretlint/secretlint-rule-preset-recommend',
    rule: recommended,
    // The pattern above finds short keys too. Invented credentials in tests use a domain that is reserved for examples.
    rules: [
      { id: '@secretlint/secretlint-rule-privatekey', disabled: true },
      {
        id: '@secretlint/secretlint-rule-basicauth',
        options: { allows: ['/@(?:[\\w-]+\\.)*example\\.(?:com|test)/'] },
      },
    ],
  },
  {
    id: '@secretlint/secretlint-rule-pattern',
    rule: pattern,
    options: { patterns: Object.entries(PATTERNS).map(([name, text]) => ({ name, patterns: [text] })) },
  },
]
