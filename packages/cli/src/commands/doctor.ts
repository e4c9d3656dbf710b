/** `brokerwire doctor`: diagnoses a connection; its output can be pasted into a report. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CONNECTION_OPTIONS, JSON_OPTION, settingOptions } from '../frame/setting-options.ts'
import { waitingTime } from '../number-option.ts'

export const doctor: CommandDefinition = {
  name: 'doctor',
  summary: 'diagnose the connection to the service; status 1 if a check failed',
  details: [
    'Each line has ok, note or failed, its duration, and for a failure what to do next. The output contains no secrets, so you can paste it into a report. A missing token and clear text on this machine are notes.',
  ],
  options: [
    {
      flags: '--streams',
      help: 'also subscribe once to the trade stream, which uses one of five slots for about a minute',
    },
    {
      flags: '--timeout <duration>',
      help: 'time limit of each check, at most 24d',
      parse: waitingTime(),
      defaultValue: '10s',
    },
    JSON_OPTION,
    ...settingOptions('accounts', 'store'),
    ...CONNECTION_OPTIONS,
  ],
  examples: [
    { does: 'check everything except streams', line: 'brokerwire doctor' },
    { does: 'with one subscription', line: 'brokerwire doctor --streams' },
  ],
  load: () => import('../run/doctor.ts'),
}
