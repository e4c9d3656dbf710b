/** Small packages, bundled as our packages are, and then by the bundler of a user. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterEach, expect, test } from 'vitest'
import { bundlePackage, entriesOf } from './bundle.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Bundles a package, and reads the output. */
async function packageOf(files: Readonly<Record<string, string>>, manifest: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-bundle-'))
  folders.push(folder)
  const whole = {
    name: 'sample',
    type: 'module',
    sideEffects: false,
    exports: { '.': { default: './dist/index.js' } },
    ...manifest,
  }
  for (const [file, text] of Object.entries({ ...files, 'package.json': JSON.stringify(whole) })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  mkdirSync(join(folder, 'dist'), { recursive: true })
  await bundlePackage(folder)
  const read = (file: string): string => readFileSync(join(folder, 'dist', file), 'utf8')
  return { folder, read, load: async () => await import(pathToFileURL(join(folder, 'dist/index.js')).href) }
}

/** The code that a user's bundler keeps for one export. */
async function shaken(folder: string, name: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${name} } from './dist/index.js'`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

const KEPT = "export const kept = 'kept'\n"

test.each([
  ['a call', "export const other = String('dropped')"],
  ['a call of a call', 'export const other = Object.entries({ dropped: 1 }).map(([name]) => name)'],
  ['a call in a call', "export const other = new Map(Object.entries({ dropped: Symbol('x') }))"],
  ['a call in an object', "export const other = { of: [new RegExp('dropped')] }"],
  ['a spread', "const names = ['dropped']\nexport const other = ['x', ...names]"],
  ['a spread in an argument', "const names = ['dropped']\nexport const other = new Set([...names])"],
  ['a member', "const names = { x: 'dropped' }\nexport const other = names.x"],
  ['a template literal', `const name = String('x')\nexport const other = \`dropped \${name}\``],
  ['a sum', 'const one = Number(1)\nexport const other = 123456 ** one'],
  [
    'a class with a computed name',
    "const name = Symbol('dropped')\nexport class Other { get [name](): string { return 'dropped' } }",
  ],
  [
    'an expression with type assertions',
    "export const other = Object.freeze({ x: 'dropped' } as const) satisfies object",
  ],
])('removes an unused value: %s', async (_what, source) => {
  const { folder, load } = await packageOf({ 'src/index.ts': `${KEPT}${source}\n` })
  expect(await shaken(folder, 'kept')).not.toMatch(/dropped|123456/)
  // A program that uses all values must still get them.
  expect(Object.values(await load()).filter((value) => value !== undefined)).toHaveLength(2)
})

test('a marked expression keeps its value', async () => {
  const { load } = await packageOf({
    'src/index.ts': `const names = ['é', 'b'] as const
export const all: readonly string[] = ['😀', ...names]
export const sizes = { ...Object.fromEntries(all.map((name) => [name, name.length])) }
export class Named { get [Symbol.toStringTag](): string { return all[0] ?? '' } }
`,
  })
  const { all, sizes, Named } = await load()
  expect(all).toEqual(['😀', 'é', 'b'])
  expect(sizes).toEqual({ '😀': 2, é: 1, b: 1 })
  expect(Named.name).toBe('Named')
  expect(String(new Named())).toBe('[object 😀]')
})

test('does not mark expressions inside a function', async () => {
  const { read } = await packageOf({
    'src/index.ts': 'export const act = (): void => {\n  console.log([...[1]].length)\n}\n',
  })
  expect(read('index.js')).not.toContain('__PURE__')
})

test('writes a file for each entry and one for shared code, imports other packages, and removes earlier files', async () => {
  const entry = (name: string) => ({ '@brokerwire/source': `./src/${name}.ts`, default: `./dist/${name}.js` })
  const { read } = await packageOf(
    {
      'src/index.ts':
        "import { read } from './shared.ts'\nimport { other } from 'other'\nexport { other, read }\n",
      'src/deep/one.ts': "export { read } from '../shared.ts'\nexport * from '#conditional'\n",
      'src/shared.ts': "export const read = (): string => 'shared text'\n",
      'dist/stale.js': '',
      'dist/index.d.ts': '',
    },
    { exports: { '.': entry('index'), './deep': entry('deep/one') } },
  )
  expect(read('index.js')).toContain('from "other"')
  expect(read('deep/one.js')).toContain('from "#conditional"')
  expect(read('shared.part.js')).toContain('shared text')
  expect(read('index.js')).not.toContain('shared text')
  expect(read('index.d.ts')).toBe('')
  expect(() => read('stale.js')).toThrow('ENOENT')
  const { sources, sourcesContent } = JSON.parse(read('shared.part.js.map'))
  expect(sources).toEqual(['../src/shared.ts'])
  expect(sourcesContent).toBeUndefined()
})

test('rewrites syntax that Node 20 lacks, with its helpers', async () => {
  const { read, load } = await packageOf({
    'src/index.ts': `export async function closed(log: string[]): Promise<void> {
  await using _resource = { [Symbol.asyncDispose ?? Symbol.for('x')]: async () => { log.push('closed') } }
  log.push('open')
}
`,
  })
  expect(read('index.js')).not.toMatch(/await using|from "@oxc-project/)
  expect(Object.keys(await load())).toEqual(['closed'])
})

test('the entries are the files that a manifest and its commands name', () => {
  expect(
    entriesOf([
      '{"a": {"types": "./dist/x.d.ts", "default": "./dist/x.js"}, "b": "./dist/in/y.js", "c": "./vectors.json"}',
      "await import('../dist/main.js')",
    ]),
  ).toEqual(['in/y', 'main', 'x'])
})
