/** Every example in help texts is a valid command line. */
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { loadCommands } from '../commands/load-commands.ts'
import { createProgram } from './program.ts'

const COMMANDS = await loadCommands(['api'])

/** The command lines of this program within a line for the shell, as words. */
function commandLines(line: string): readonly (readonly string[])[] {
  const words = line.match(/'[^']*'|"[^"]*"|[|;&()<>]+|[^\s'"|;&()<>]+/g) ?? []
  const lines: string[][] = []
  let current: string[] | undefined
  for (const word of words) {
    if (/^[|;&()<>]+$/.test(word)) current = undefined
    else if (current === undefined && word === 'brokerwire') {
      current = []
      lines.push(current)
    } else current?.push(word.replace(/^(['"])(.*)\1$/, '$2'))
  }
  return lines
}

/** The command that a line would run, or its error. */
async function begun(args: readonly string[]): Promise<string> {
  let name = ''
  const program = createProgram(
    COMMANDS,
    '0',
    (command) => {
      command
        .exitOverride()
        .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} })
    },
    async (definition) => {
      name = definition.name
    },
  )
  await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error
    name = error.message
  })
  return name
}

const examples = COMMANDS.flatMap(({ name, examples: all }) => all.map(({ line }) => [line, name] as const))

test.each(examples)('%s', async (line, name) => {
  const lines = commandLines(line)
  const names = await Promise.all(lines.map(begun))
  // An example of `api` names one of its operations.
  expect(names.map((one) => (one.startsWith(`${name} `) ? name : one))).toContain(name)
  expect(names.filter((one) => !COMMANDS.some((command) => command.name === one))).toEqual([])
})

test('a command line with an unknown option is detected', async () => {
  expect(await begun(['listen', 'trade', '--cuont', '3'])).toMatch(/unknown option '--cuont'/)
})
