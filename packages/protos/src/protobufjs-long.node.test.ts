/** protobufjs without the package `long`, as in a bundle that leaves it out. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const MINIMAL = createRequire(import.meta.url).resolve('protobufjs/minimal.js')

/** Runs code in a process in which `require('long')` fails. Returns what it prints. */
async function runWithoutLong(code: string): Promise<string> {
  const withoutLong = `
    const Module = require('node:module')
    const load = Module._load
    Module._load = (id, ...rest) => {
      if (id === 'long') throw new Error('not installed')
      return load(id, ...rest)
    }
    const protobuf = require(${JSON.stringify(MINIMAL)})
  `
  const args = ['--eval', withoutLong + code]
  return (await promisify(execFile)(process.execPath, args)).stdout.trim()
}

const generated = (name: string): string =>
  fileURLToPath(new URL(`../protobufjs/gen/${name}.js`, import.meta.url))

describe('without the package long', () => {
  test('protobufjs itself rounds a 64-bit integer above 2^53', async () => {
    const bytes = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]
    const code = `console.log(protobuf.Reader.create(Uint8Array.from(${JSON.stringify(bytes)})).int64())`
    expect(BigInt(await runWithoutLong(code))).toBe(2n ** 53n)
  })

  test('the module with 64-bit integers cannot be imported', async () => {
    const code = `import(${JSON.stringify(generated('trade'))}).catch((error) => console.log(error.message))`
    expect(await runWithoutLong(code)).toBe(
      'protobufjs must find the package "long", without which 64-bit integers lose digits; received none. Install long, and let your bundler include it.',
    )
  })

  test.each(['module', 'quotes'])('%s, which has no 64-bit integer, can be imported', async (name) => {
    const code = `import(${JSON.stringify(generated(name))}).then(() => console.log('imported'))`
    expect(await runWithoutLong(code)).toBe('imported')
  })
})

test('the generated code has no eval and no new Function', async () => {
  const entryPoints = ['trade', 'module', 'quotes'].map(generated)
  const { outputFiles } = await build({
    entryPoints,
    bundle: true,
    format: 'esm',
    write: false,
    outdir: 'out',
  })
  expect(outputFiles).toHaveLength(3)
  for (const { text } of outputFiles) expect(text).not.toMatch(/\beval\b|\bFunction\(/)
})
