/** `brokerwire listen`: events of a stream as lines, until stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CONNECTION_OPTIONS, settingOptions } from '../frame/setting-options.ts'
import { wholeNumber } from '../number-option.ts'

export const listen: CommandDefinition = {
  name: 'listen',
  summary: 'print the events of a stream, until stopped',
  args: [{ name: '<stream>', help: 'which events', choices: ['trade', 'position', 'module'] }],
  options: [
    ...settingOptions('accounts'),
    {
      flags: '--modules <names>',
      help: 'of the module stream, separated by commas: modules, or event types; default: all known modules',
      completes: 'modules',
    },
    {
      flags: '--count <n>',
      help: 'stop after so many events',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    },
    { flags: '--json', help: 'one JSON object a line, payloads as they were received' },
    ...CONNECTION_OPTIONS,
  ],
  examples: [
    { does: 'order events of the accounts in BROKERWIRE_ACCOUNTS', line: 'brokerwire listen trade' },
    {
      does: 'ten events of two modules',
      line: 'brokerwire listen module --modules funding,journal --count 10',
    },
  ],
  load: () => import('../run/listen.ts'),
}
