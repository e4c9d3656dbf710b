/** `brokerwire record` and `brokerwire replay`: record events of a stream in a file, and replay them. */
import { optionError } from '../cli-error.ts'
import type { CommandDefinition } from '../frame/definition.ts'
import { settingOptions } from '../frame/setting-options.ts'
import { EVENT_STREAMS } from '../listen/streams.ts'
import { receivedText } from '../suggestion.ts'
import { listen } from './listen.ts'

function readSpeed(text: string, flag: string): number | 'max' {
  if (text === 'max') return text
  const speed = Number(text)
  if (/^\d{1,7}(?:\.\d{1,3})?$/.test(text) && speed >= 0.001 && speed <= 1_000_000) return speed
  throw optionError(flag, `must be a number from 0.001 to 1000000, or max${receivedText(text)}`)
}

const accountOptions = settingOptions('accounts')
const accountFlags = accountOptions.map(({ flags }) => flags)
/**
 * The options of `listen` that also apply to recordings. Options of market data are missing, because it is
 * not recorded. `--json` is missing, because the lines are always JSON. `--accounts` applies to every stream,
 * because the account ids are replaced by pseudonyms in all of them.
 */
const followOptions = [
  ...accountOptions,
  ...(listen.options ?? []).filter(
    ({ flags, of = EVENT_STREAMS }) =>
      flags !== '--json' &&
      !accountFlags.includes(flags) &&
      EVENT_STREAMS.some((stream) => of.includes(stream)),
  ),
]

export const record: CommandDefinition = {
  name: 'record',
  summary: 'write the events of a stream to a file, until stopped',
  details: [
    'The lines have the format of `brokerwire listen --json`; its schema is schemas/listen.schema.json in this package. The file must not exist yet; only its owner can read it.',
    'Secrets are removed. Identifiers of accounts, orders, applications and customers are replaced by pseudonyms in the frame, the payload and the decoded event. An identifier has the same pseudonym in all recordings with the same app secret. A payload that is not JSON, or with too many ids of the same prefix, and unknown fields, are omitted, because ids cannot be found there. Amounts, symbols and times are unchanged. With --keep-ids everything except secrets is unchanged.',
  ],
  args: [{ name: '<stream>', help: 'the stream', choices: EVENT_STREAMS }],
  options: [
    { flags: '--to <file>', help: 'new file to write to, required' },
    { flags: '--keep-ids', help: 'do not replace ids; secrets are always removed' },
    ...followOptions,
  ],
  examples: [
    { does: 'order events of four hours', line: 'brokerwire record trade --to morning.jsonl --timeout 4h' },
    {
      does: 'a hundred module events, with all their ids',
      line: 'brokerwire record module --to events.jsonl --count 100 --keep-ids',
    },
  ],
  load: () => import('../run/record.ts'),
}

export const replay: CommandDefinition = {
  name: 'replay',
  summary: 'replay a recording on a local service, and exit',
  details: [
    'Replays a file of `brokerwire record` or `brokerwire listen --json`: the same payloads, ids, cursors and times. The whole file is checked first; an error has line and field, and nothing is replayed.',
    'If BROKERWIRE_CONTROL_URL and BROKERWIRE_CONTROL_TOKEN are set, which `brokerwire simulate` prints, that service is used. Otherwise the command starts a service with the accounts of the recording, prints export lines, waits for a subscription to each stream of the recording, replays, and exits.',
  ],
  args: [{ name: '<file>', help: 'recording' }],
  options: [
    {
      flags: '--speed <n>',
      help: 'speed relative to the recording, such as 10 or 0.5, or max; default: 1',
      parse: readSpeed,
    },
    { flags: '--app <name>', help: 'name or key of an app of the running service; default: the first' },
  ],
  examples: [
    { does: 'replay a morning in a few minutes', line: 'brokerwire replay morning.jsonl --speed 60' },
    { does: 'replay without waiting', line: 'brokerwire replay events.jsonl --speed max' },
  ],
  load: () => import('../run/replay.ts'),
}
