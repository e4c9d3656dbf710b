import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../packages/cli/src/commands/index.ts'
import { STORE_OPTIONS } from '../../../packages/cli/src/frame/store-options.ts'
import { commandsPage } from './commands-page.ts'
import { optionNotes } from './manual-pages.ts'

const sections = new Map(
  commandsPage()
    .split(/^## /m)
    .map((text) => [text.split('\n')[0] ?? '', text]),
)
const sectionOf = (name: string): string => sections.get(name) ?? ''

/** The meaning of a flag in the section of a command, or in the section to which that section links for the flag. */
function meaningOf(name: string, flag: string): string | undefined {
  const lines = sectionOf(name).split('\n')
  const row = lines.find((line) => line.startsWith(`| \`${flag}`))
  if (row !== undefined) return row.replaceAll('\\', '')
  const link = lines.find((line) => line.startsWith('- ') && line.includes(`\`${flag}\``))
  const [, target] = /as in \[([^\]]+)\]/.exec(link ?? '') ?? []
  if (target !== undefined) return meaningOf(target, flag)
  const isLinked = name !== 'Connection options' && sectionOf(name).includes('(#connection-options)')
  return isLinked ? meaningOf('Connection options', flag) : undefined
}

describe('COMMANDS.md', () => {
  const shown = COMMANDS.filter(({ hidden, options = [] }) => hidden !== true && options.length > 0)

  test.each(shown.map((command) => [command.name, command] as const))(
    'has the meaning of each option of %s, in its section or by a link',
    (name, { options = [] }) => {
      for (const option of options) {
        const [flag = ''] = option.flags.split(' ')
        expect(meaningOf(name, flag), flag).toContain(optionNotes(option))
      }
    },
  )

  test('describes the connection options once', () => {
    const page = commandsPage()
    const once = STORE_OPTIONS.filter(({ flags }) => !flags.startsWith('--app-'))
    for (const { flags, help } of once)
      expect(page.split(`| \`${flags}\` | ${help}`).length - 1, flags).toBe(1)
  })
})
