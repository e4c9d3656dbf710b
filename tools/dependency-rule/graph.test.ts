import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { circles, type Edge, type Graph, readGraph, waysTo } from './graph.ts'

const edge = (to: string, kind: Edge['kind'] = 'file'): Edge => ({ specifier: to, to, kind })
const graph = (edges: Record<string, readonly Edge[]>): Graph => new Map(Object.entries(edges))

describe('circles', () => {
  test('there is none in a tree, nor where two ways meet', () => {
    expect(circles(graph({ a: [edge('b'), edge('c')], b: [edge('d')], c: [edge('d')], d: [] }))).toEqual([])
  })

  test('names the files in the order of their imports', () => {
    expect(circles(graph({ a: [edge('b')], b: [edge('c')], c: [edge('b')] }))).toEqual([['b', 'c', 'b']])
    expect(circles(graph({ a: [edge('a')] }))).toEqual([['a', 'a']])
  })
})

test('waysTo finds the shortest way to what is wanted', () => {
  const found = waysTo(
    graph({
      entry: [edge('long'), edge('short')],
      long: [edge('longer')],
      longer: [edge('target')],
      short: [edge('target')],
      target: [edge('node:fs', 'node')],
    }),
    'entry',
    ({ kind }) => kind === 'node',
  )
  expect(found).toEqual([['entry', 'short', 'target', 'node:fs']])
})

describe('readGraph', () => {
  let root: string

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'brokerwire-graph-'))
    const files: Record<string, string> = {
      'src/main.ts': "import type { T } from './types.ts'\nexport * from 'inner'\nexport const t: T = 1\n",
      'src/types.ts': 'export type T = number\n',
      'node_modules/inner/package.json':
        '{ "name": "inner", "exports": { "workerd": "./edge.js", "default": "./node.js" } }',
      'node_modules/inner/edge.js': 'export {}\n',
      'node_modules/inner/node.js': "import 'node:fs'\nexport {}\n",
    }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const reachesNode = async (conditions: string[]): Promise<string[][]> => {
    const read = await readGraph(['src/main.ts'], { root, conditions, types: false, installed: true })
    return waysTo(read, 'src/main.ts', ({ kind }) => kind === 'node')
  }

  test("follows the host's conditions into installed packages", async () => {
    expect(await reachesNode(['workerd'])).toEqual([])
    expect(await reachesNode(['node'])).toHaveLength(1)
  })

  test('counts imports of types only where they are asked for', async () => {
    const imports = async (types: boolean): Promise<unknown> => {
      const read = await readGraph(['src/main.ts'], {
        root,
        conditions: ['workerd'],
        types,
        installed: false,
      })
      return read.get('src/main.ts')?.map(({ specifier }) => specifier)
    }
    expect(await imports(true)).toContain('./types.ts')
    expect(await imports(false)).not.toContain('./types.ts')
  })
})
