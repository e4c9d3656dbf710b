/** `brokerwire help TOPIC`: explains an error code, or shows the help of a command. */
import type { CommandDefinition } from '../frame/definition.ts'

export const help: CommandDefinition = {
  name: 'help',
  summary: 'explain an error code, or show the help of a command',
  args: [{ name: '[topic...]', help: 'error code, or the name of a command; default: the program' }],
  options: [{ flags: '--json', help: 'print the description of the error code as JSON' }],
  examples: [
    { does: 'what an error means, and what to do', line: 'brokerwire help TOKEN_PENDING' },
    { does: 'the options of a command', line: 'brokerwire help token create' },
  ],
  load: () => import('../run/help.ts'),
}
