/** What must not stand in the repository's files: places of one machine, addresses of registries, secrets. */

/** A text that is refused, and why. */
interface Rule {
  readonly what: string
  readonly pattern: RegExp
}

// Brackets around a letter keep a rule from finding itself.
const RULES: readonly Rule[] = [
  { what: "a path of one machine's work folder", pattern: /(?<![\w.@*}-])[/]work[/]/ },
  { what: "a path of one machine's temporary folder", pattern: /(?<![\w.@*}-])[/]tm[p][/]/ },
  {
    what: "a path of one machine's home",
    pattern: /(?<![\w.@*}-])[/](?:roo[t]\b|(?:hom[e]|User[s])[/]\w)/,
  },
  {
    what: 'the address of a package registry',
    pattern: /https?:[/][/][^\s"'/]*(?:npmjs|yarnpkg|npmmirror|jfrog|verdaccio)[^\s"'/]*|registry[.]npmj[s]/i,
  },
  { what: 'a lockfile entry that names where it was downloaded', pattern: /\bresolution: .*\btarbal[l]:/ },
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KE[Y]-----/ },
  {
    what: 'a token of a hosting service',
    pattern: /\b(?:ghp|gho|github_pat|npm|glpat|xox[bp])_[A-Za-z0-9_]{20,}/,
  },
  { what: 'an access key of a cloud', pattern: /\b(?:AKI[A]|ASI[A])[0-9A-Z]{16}\b/ },
]

/** @returns `line: what`, for each line that breaks a rule. The text itself is not repeated: it may be a secret. */
export function hygieneProblems(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      RULES.filter(({ pattern }) => pattern.test(line)).map(({ what }) => `${index + 1}: ${what}`),
    )
}
