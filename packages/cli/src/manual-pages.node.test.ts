/** All manual pages are installed, and can be displayed. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { COMMANDS } from './commands/index.ts'

const folder = fileURLToPath(new URL('../man', import.meta.url))
const pages = readdirSync(folder)
const hasGroff = existsSync('/usr/bin/groff')

test('the package installs a manual page for each command', () => {
  expect([...manifest.man].sort()).toEqual(pages.map((page) => `./man/${page}`).sort())
  const names = COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name.split(' ')[0])
  expect([...pages].sort()).toEqual(
    ['brokerwire.1', ...new Set(names.map((name) => `brokerwire-${name}.1`))].sort(),
  )
})

const suffix = hasGroff ? '' : ' (left out: groff is not installed)'

test.skipIf(!hasGroff)(`groff reads every page without a warning, and shows all options${suffix}`, () => {
  const files = pages.map((page) => `${folder}/${page}`)
  // Prints without the escape sequences of bold and underlined text.
  const args = ['-man', '-ww', '-Tascii', '-P-cbu', '-rLL=200n', ...files]
  const { status, stdout, stderr } = spawnSync('/usr/bin/groff', args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  for (const { flags } of COMMANDS.filter(({ hidden }) => !hidden).flatMap(({ options = [] }) => options))
    expect(stdout).toContain(flags)
  for (const { examples, hidden } of COMMANDS)
    if (!hidden) for (const { line } of examples) expect(stdout).toContain(line)
})
