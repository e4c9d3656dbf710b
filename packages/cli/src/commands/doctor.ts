/** `brokerwire doctor`: diagnoses a connection; its output can be pasted into a report. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CONNECTION_OPTIONS, JSON_OPTION, settingOptions } from '../frame/setting-options.ts'
import { waitingTime } from '../number-option.ts'

export const doctor: CommandDefinition = {
  name: 'doctor',
  summary: 'check everything between here and the first event; status 1 where something failed',
  details: [
    'Each line has ok, note or failed, its time, and for what failed the next thing to do. Nothing secret is in it, so it can be pasted. No token yet and clear text on this machine are notes.',
  ],
  options: [
    {
      flags: '--streams',
      help: 'subscribes once to the trade stream, too: that takes one of five slots for about a minute',
    },
    {
      flags: '--timeout <duration>',
      help: 'of each check, at most 24d',
      parse: waitingTime(),
      defaultValue: '10s',
    },
    JSON_OPTION,
    ...settingOptions('accounts', 'store'),
    ...CONNECTION_OPTIONS,
  ],
  examples: [
    { does: 'what is in the way', line: 'brokerwire doctor' },
    { does: 'with one subscription', line: 'brokerwire doctor --streams' },
  ],
  load: () => import('../run/doctor.ts'),
}
