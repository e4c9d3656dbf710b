/** What documents say of an option: its help, and what the definition knows beside it. */
import type { OptionDefinition } from '../../../packages/cli/src/frame/definition.ts'

/** The notes, the help first. */
export function optionNotes({ help, choices, defaultValue, repeats }: OptionDefinition): string {
  return [
    help,
    choices === undefined ? '' : `one of ${choices.join(', ')}`,
    defaultValue === undefined ? '' : `default: ${defaultValue}`,
    repeats ? 'may come again' : '',
  ]
    .filter((part) => part !== '')
    .join('; ')
}
