/** Completion in real shells: bash, and in the full set also zsh and fish. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { COMMAND } from '../test/command.ts'
import { openTerminal, TERMINALS } from '../test/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-shells-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const name of ['bin', 'config', 'config/brokerwire', 'work']) mkdirSync(join(folder, name))
const cwd = join(folder, 'work')
symlinkSync(COMMAND, join(folder, 'bin', 'brokerwire'))
writeFileSync(join(cwd, 'captured.json'), '{}')
const profiles = { format: 1, profiles: { default: {}, 'practice-account': {} } }
writeFileSync(join(folder, 'config/brokerwire/config.json'), JSON.stringify(profiles), { mode: 0o600 })
const env = {
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  LANG: 'C.UTF-8',
  PS1: 'ready> ',
}

/** Lines that end with a TAB, and the completed lines. */
const LINES = [
  ['brokerwire tok', /brokerwire token /],
  ['brokerwire listen module --modules funding,jou', /--modules funding,journal/],
  ['brokerwire --profile prac', /--profile practice-account /],
  ['brokerwire explain capt', /explain captured\.json /],
] as const

const SHELLS = [
  ['bash', ['bash', '--norc', '--noprofile', '-i'], 'source <(brokerwire completion bash)'],
  ['zsh', ['zsh', '-f', '-i'], 'autoload -U compinit; compinit -D; source <(brokerwire completion zsh)'],
] as const

/** A missing shell is skipped, and the title of its test names it. */
const isMissing = (shell: string): boolean => !existsSync(`/usr/bin/${shell}`)
const suffixOf = (shell: string): string => (isMissing(shell) ? ` (left out: ${shell} is not installed)` : '')

for (const [name, command, load] of SHELLS) {
  test.skipIf(TERMINALS.skip || isMissing(name) || (name !== 'bash' && !inject('isFullRun')))(
    `${name} completes on TAB${suffixOf(name)}${TERMINALS.note}`,
    async () => {
      const terminal = openTerminal(command, { env, cwd })
      terminal.type(`${load}; echo load''ed\n`)
      await terminal.shows(/loaded/)
      for (const [line, expected] of LINES) {
        terminal.type(`${line}\t`)
        await terminal.shows(expected)
        // Ctrl-U clears the line.
        terminal.type('\u0015')
      }
      // Completion does not execute the input.
      terminal.type('brokerwire sign $(touch ran) --alg\t')
      await terminal.shows(/--algorithm /)
      expect(existsSync(join(cwd, 'ran'))).toBe(false)
      terminal.type('\u0015exit\n')
      await terminal.ended
    },
    90_000,
  )
}

test.skipIf(isMissing('fish') || !inject('isFullRun'))(
  `fish completes${suffixOf('fish')}`,
  () => {
    const asked = LINES.map(([line]) => `complete -C '${line}'`).join('; ')
    const script = `brokerwire completion fish | source; ${asked}`
    const { stdout, stderr, status } = spawnSync('/usr/bin/fish', ['--no-config', '-c', script], {
      env,
      cwd,
      encoding: 'utf8',
    })
    expect([
      status,
      stderr,
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd()),
    ]).toEqual([
      0,
      '',
      [
        expect.stringMatching(/^token\tcreate, check/),
        'funding,journal',
        'practice-account',
        'captured.json',
      ],
    ])
  },
  60_000,
)
