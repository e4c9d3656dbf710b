/**
 * `brokerwire doctor`: diagnoses a connection; its output can be pasted into a report. With `--live` it measures
 * what public sources of the service leave open.
 */
import type { CommandDefinition } from '../frame/definition.ts'
import { CONNECTION_OPTIONS, JSON_OPTION, settingOptions } from '../frame/setting-options.ts'
import { waitingTime } from '../number-option.ts'

export const doctor: CommandDefinition = {
  name: 'doctor',
  summary: 'diagnose the connection to the service; status 1 if a check failed',
  details: [
    'Each line has ok, note or failed, its duration, and for a failure what to do next. The output contains no secrets, so you can paste it into a report. A missing token and clear text on this machine are notes.',
    'With --live it measures what the public sources of the service leave open: clock offset, signature algorithms, path families, API versions, tokens on streams, event connections and the ping interval. It makes at most 23 calls, at least a second apart, and prints each one before. It creates no token and sends no order. It uses the sandbox, unless you give --environment production; then it asks before each step. The stored token is used if there is one. The result is a record without secrets, app keys and account ids, for an issue of this project. Ctrl-C prints the record so far.',
    'With --production it also checks the parts of the production checklist that the settings or the configuration of a relay show. A note that starts with "not visible here" names a decision of your program.',
  ],
  options: [
    {
      flags: '--streams',
      help: 'also subscribe once to the trade stream, which uses one of five slots for about a minute',
    },
    {
      flags: '--live',
      help: 'measure the service with at most 23 calls, and print a record without secrets; usually less than three minutes',
    },
    {
      flags: '--production',
      help: 'also check what production needs: a durable store, private secrets, TLS, versions',
    },
    {
      flags: '--config <file>',
      help: "with --production: check a relay's configuration instead of the settings; sends nothing",
    },
    {
      flags: '--output <file>',
      help: 'with --live: also write the record as JSON to this new file',
    },
    {
      flags: '--timeout <duration>',
      help: 'time limit of each check or call, at most 24d',
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
    { does: 'before a service starts in production', line: 'brokerwire doctor --production' },
    {
      does: 'before a relay starts in production',
      line: 'brokerwire doctor --production --config relay.json',
    },
    {
      does: 'measure the sandbox, and write the record to a file',
      line: 'brokerwire doctor --live --region us --output record.json',
    },
  ],
  load: () => import('../run/doctor.ts'),
}
