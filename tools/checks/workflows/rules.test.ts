import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../ci/lib/workspace.ts'
import { ruleProblems } from './rules.ts'

const FILE = '.github/workflows/release.yml'
const released = readFileSync(join(ROOT, FILE), 'utf8')
/** The problems after one replacement in the release workflow. */
const problemsWith = (text: string | RegExp, replacement: string): string[] => {
  expect(released).toMatch(text)
  return ruleProblems(FILE, released.replace(text, replacement))
}
const PUBLISH = '      - run: echo "$DIGESTS" | sha512sum --check --strict\n'

test('accepts the release workflow', () => {
  expect(ruleProblems(FILE, released)).toEqual([])
})

test.each([
  ['a tag', 'actions/checkout@v7'],
  ['a branch', 'actions/checkout@main'],
  ['a short hash', 'actions/checkout@3d3c42e # v7.0.1'],
  ['a hash without its version', 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1'],
  ['no version', 'actions/checkout'],
])('rejects an action that is pinned by %s', (_name, action) => {
  const problems = problemsWith(/actions\/checkout@.*/, action)
  expect(problems).toContainEqual(expect.stringContaining('an action must be pinned'))
})

test.each([
  ['true', 'persist-credentials: true'],
  ['absent', 'fetch-tags: false'],
])('rejects a checkout that keeps its credentials: persist-credentials is %s', (_name, line) => {
  expect(problemsWith('persist-credentials: false', line)).toEqual([
    `${FILE}: job versions: a checkout must have "persist-credentials: false"`,
  ])
})

test.each([
  ['installs', '      - run: pnpm install --frozen-lockfile\n'],
  ['builds', '      - run: pnpm build\n'],
  ['installs npm', '      - run: npm install --global npm@11.21.2\n'],
  ['runs a file', '      - run: node publish.js\n'],
  ['runs a package', '      - run: npx -y np\n'],
  ['runs one command more', '      - run: npm publish ./a.tgz && npm exec np\n'],
])('rejects a job with id-token that %s', (_name, step) => {
  expect(problemsWith(PUBLISH, step)).toEqual([
    expect.stringContaining('job publish: a job with id-token must only verify and publish; it runs "'),
  ])
})

test('rejects a job with id-token that runs an action of others, or checks the repository out', () => {
  const hash = '3d3c42e5aac5ba805825da76410c181273ba90b1'
  for (const action of ['actions/checkout', 'changesets/action'])
    expect(problemsWith(PUBLISH, `      - uses: ${action}@${hash} # v7.0.1\n`)).toContain(
      `${FILE}: job publish: a job with id-token must not run ${action}@${hash}`,
    )
})

test('rejects a job that can publish and push, or that has all permissions', () => {
  const grant = '      id-token: write\n'
  expect(problemsWith(grant, `${grant}      contents: write\n`)).toEqual([
    `${FILE}: job publish: id-token must be the only permission of its job`,
  ])
  const all = problemsWith(`permissions:\n${grant}`, 'permissions: write-all\n')
  expect(all).toEqual([`${FILE}: job publish: permissions must be listed; received "write-all"`])
})
