import { expect, test } from 'vitest'
import { hygieneProblems } from './check.ts'

/** The strings are in pieces, so that the check accepts this file. */
const path = (...names: string[]): string => ['', ...names].join('/')
const letters = (length: number): string => 'aB3dE9'.repeat(length).slice(0, length)

test.each([
  [path('work', 'main', 'file.ts'), "a path of one machine's work folder"],
  [`cwd: '${path('tmp', 'x')}'`, "a path of one machine's temporary folder"],
  [path('root', '.npmrc'), "a path of one machine's home"],
  [path('home', 'user', 'x'), "a path of one machine's home"],
  [['https:', '', 'npmjs', 'x.tgz'].join('/'), 'the address of a package registry'],
  [['registry', 'npmjs', 'org'].join('.'), 'the address of a package registry'],
  [['    resolution: {integrity: x, tar', 'ball: x}'].join(''), 'a lockfile entry with a download address'],
  [['-----BEGIN', 'PRIVATE', 'KEY-----'].join(' '), 'a private key'],
  [['-----BEGIN EC', 'PRIVATE', 'KEY-----'].join(' '), 'a private key'],
  [`gh${'p_'}${letters(36)}`, 'GitHub'],
  [`np${'m_'}${letters(36)}`, 'npm'],
  [`gl${'pat-'}${letters(20)}`, 'GitLab'],
  [`xo${'xb-'}1234567890-1234567890-${letters(24)}`, 'Slack'],
  [`AKI${'A'}${'A1B2'.repeat(4)}`, 'AWS'],
  [['https://user', 'hunter2hunter2@broker.net'].join(':'), 'basicauth'],
])('refused: %#', async (text, problem) => {
  const problems = await hygieneProblems('a.txt', `fine\n${text}\nfine`)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(new RegExp(`^a\\.txt:2: .*${problem}`, 'i'))
  expect(problems[0]).not.toContain(letters(20))
})

test('accepts paths within the repository and addresses of examples', async () => {
  const text =
    'packages/root/file.ts\njoin(root, "work/x")\nhttps://example.com/work/home\nimport x from "./tmp/x"\nhttps://user:hunter2@api.example.com'
  expect(await hygieneProblems('a.txt', text)).toEqual([])
})
