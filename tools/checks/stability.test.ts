/** The promises of docs/stability.md agree with the manifests, the workflows and the compilers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicPackages, ROOT } from '../ci/lib/workspace.ts'
import { OLDEST } from '../release/consumer-types/combinations.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

test('the page of each package links to the page about stability', () => {
  const without = publicPackages().filter(
    ({ directory }) => !read(`${directory}/README.md`).includes('](../../docs/stability.md)'),
  )
  expect(without.map(({ directory }) => directory)).toEqual([])
})

test('CI runs every version of Node in the table, and the manifests name the oldest', () => {
  const [, page = ''] = read('docs/stability.md').split('\n## Node\n')
  const table = [...page.matchAll(/^\| (\d+(?:\.\d+)?) /gm)].map(([, version]) => version)
  const matrix = /node: \[(.+)\]/.exec(read('.github/workflows/ci.yml'))?.[1]
  expect(JSON.parse(`[${matrix}]`)).toEqual(table)
  for (const { directory } of publicPackages())
    expect(JSON.parse(read(`${directory}/package.json`)).engines, directory).toEqual({
      node: `>=${table[0]}`,
    })
})

test('docs/guides/running.md names the oldest TypeScript that check:types compiles with', () => {
  const [stated] = read('docs/guides/running.md').match(/(?<=\*\*TypeScript )\d+\.\d+/) ?? []
  expect(OLDEST.version.startsWith(`${stated}.`)).toBe(true)
})
