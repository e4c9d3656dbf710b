/** Messages for invalid command lines: one sentence that names the flag, argument or variable. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from './test/run.ts'
import { temporaryFolder } from './test/temporary.ts'

const SECRET = 'correct horse battery staple'
const env = {
  BROKERWIRE_APP_KEY: 'key',
  BROKERWIRE_APP_SECRET: SECRET,
  BROKERWIRE_REGION: 'us',
  BROKERWIRE_ENVIRONMENT: 'sandbox',
  BROKERWIRE_STORE: '/proc/store',
}
const duration = (longest: string): string =>
  `must be a duration such as 500ms, 30s, 5m or 2h, of at most ${longest}; received`
const ORIGIN = 'must be an origin such as https://host or https://host:port; received'
const MQTT = 'must be an address such as mqtts://host:port or wss://host:port/mqtt'
const WITH_LIBRARY = /^(?:[A-Z]+_)*[A-Z]+: /

const WRONG: readonly (readonly [line: string, message: string])[] = [
  ['lsten', 'unknown command "lsten". Did you mean "listen"?'],
  ['listen', '<stream> is missing'],
  ['listen trade extra', 'listen must have at most 1 argument(s); received 2'],
  ['listen trade --acounts A', 'unknown option "--acounts". Did you mean "--accounts"?'],
  ['listen trade --count', '--count must have a value; received none'],
  [
    'listen trdae',
    '<stream> must be "trade" or "position" or "account" or "module" or "quotes"; received "trdae"',
  ],
  ['listen trade --count 0', '--count must be a whole number from 1 to 9007199254740991; received "0"'],
  [
    'listen trade --max-attempts -1',
    '--max-attempts must be a whole number from 0 to 1000000; received "-1"',
  ],
  ['listen trade --timeout 5', `--timeout ${duration('24 days')} "5"`],
  ['listen trade --accounts ,', '--accounts must have at least one account; received none'],
  [
    'listen module --accounts A',
    '--accounts must be used only with trade or position or account; received module',
  ],
  [
    'listen module --modules , --module-events-url http://127.0.0.1:1',
    '--modules must be names separated by commas; received none',
  ],
  [
    'listen module --from TYPE= --module-events-url http://127.0.0.1:1',
    '--from must be cursor, now, or EVENT_TYPE=POSITION; received a string',
  ],
  [
    'listen module',
    'no address for module events of us sandbox is known; set --module-events-url (BROKERWIRE_MODULE_EVENTS_URL, module-events-url in a profile)',
  ],
  [
    'listen quotes --symbols ,',
    '--symbols must be symbols separated by commas, such as AAPL,TSLA; received none',
  ],
  [
    'listen quotes --symbols A --types quot',
    '--types must be quote, snapshot, tick, separated by commas; received "quot". Did you mean "quote"?',
  ],
  ['listen quotes --symbols A --mqtt-url foo', `--mqtt-url ${MQTT}`],
  [
    'listen quotes --symbols A --mqtt-url mqtts://a.example',
    'the address for requests of us sandbox is not taken from the table, because another address is set; set --base-url (BROKERWIRE_BASE_URL, base-url in a profile)',
  ],
  [
    'listen quotes --symbols A --base-url https://a.example --mqtt-url mqtts://a.example',
    '--mqtt-url (BROKERWIRE_MQTT_URL, mqtt-url in a profile) must be an address such as mqtts://host:1883 or wss://host:8883/mqtt; mqtt: and ws: only on a loopback host, or with --allow-insecure; received an address without a port',
  ],
  [
    'listen quotes --symbols A --category stock',
    '--category must be upper-case letters, digits and _, such as "US_STOCK"; received "stock"',
  ],
  [
    'listen quotes --symbols A --base-url http://127.0.0.1:1',
    'the address for market data of us sandbox is not taken from the table, because another address is set; set --mqtt-url (BROKERWIRE_MQTT_URL, mqtt-url in a profile). `brokerwire simulate --quotes` serves market data',
  ],
  ['doctor --region US', '--region must be "hk" or "us"; received "US". Did you mean "us"?'],
  ['doctor --environment live', '--environment must be "sandbox" or "production"; received "live"'],
  ['doctor --app-key=', '--app-key must be a non-empty string; received an empty string'],
  [
    'doctor --app-key é',
    '--app-key (BROKERWIRE_APP_KEY, app-key in a profile) must be a non-empty string of visible ASCII',
  ],
  ['doctor --base-url foo', `--base-url ${ORIGIN} a string that is no URL`],
  [
    'doctor --events-url https://a.example/x',
    `--events-url ${ORIGIN} a URL with a path, a query or a fragment`,
  ],
  [
    'doctor --module-events-url http://a.example',
    '--module-events-url must be an https: origin, or http: on a loopback host or with --allow-insecure; received http: on another host',
  ],
  ['doctor --max-clock-offset 4000d', `--max-clock-offset ${duration('3650 days')} "4000d"`],
  ['doctor --app-secret-file /nowhere', '/nowhere cannot be read: ENOENT'],
  ['doctor --profile wrok', '--profile must be the name of a profile (there is none yet); received "wrok"'],
  ['doctor --profile ../x', '--profile must be a name of letters, digits, dots and dashes; received "../x"'],
  ['doctor --color red', '--color must be "auto" or "always" or "never"; received "red"'],
  [
    'request PTCH /a',
    '<method> must be "GET" or "HEAD" or "POST" or "PUT" or "PATCH" or "DELETE"; received "PTCH". Did you mean "PATCH"?',
  ],
  ['request GET a', '<path> must start with "/"; received "a"'],
  ['request GET /a?b=1', '<path> must not contain a query string; use --query'],
  [
    'request GET https://a.example/a',
    '<path> must be a path without scheme and host, which are set by --base-url (BROKERWIRE_BASE_URL, base-url in a profile); received a URL',
  ],
  ['request GET /a --body x', '--body must not be set for GET requests; use --query'],
  ['request GET /a --query x', '--query must be name=value; received no "="'],
  ['request GET /a --header x', '--header must be name:value; received no ":"'],
  ['request GET /a --header x:é', '--header x must be visible ASCII; received other characters'],
  ['request GET /a --header x-version:1', '--header x-version must not be set: set --api-version'],
  [
    'request GET /a --header x-access-token:1',
    '--header x-access-token must not be set: the stored token is sent unless you give --no-token',
  ],
  ['request GET /a --timeout 2d', `--timeout ${duration('a day')} "2d"`],
  ['request POST /a --body 1 --body-file x', '--body must not be given together with --body-file'],
  ['request GET /a --create --no-token', '--create must not be given together with --no-token'],
  ['sign', '<url> must be an absolute URL; received nothing'],
  ['sign x', '<url> must be an absolute http: or https: URL, percent-encoded, without a user name'],
  [
    'sign https://a.example --algorithm MD5',
    '--algorithm must be "HMAC-SHA1" or "HMAC-SHA256"; received "MD5"',
  ],
  ['sign --stream', '--stream must be given together with --body-file, a file with the serialized request'],
  [
    'token status --store=',
    '--store (BROKERWIRE_STORE, store in a profile) must be a non-empty string without NUL characters; received an empty string',
  ],
  ['token create --poll-interval 5', `--poll-interval ${duration('24 days')} "5"`],
  ['compare - -', '<theirs> must be a file if <ours> is standard input'],
  ['record trade --to=', '--to must be the name of a new file; received an empty string'],
  ['replay /nowhere --speed 0', '--speed must be a number from 0.001 to 1000000, or max; received "0"'],
  ['config set region eu', 'region must be "hk" or "us"; received "eu"'],
  ['config set region', '<value> must be a non-empty string; to remove the setting, use --unset'],
  ['config set mqtt-url foo', `mqtt-url ${MQTT}`],
  ['relay', '--config must be given: a JSON file; its schema is schemas/relay.schema.json'],
  ['simulate --http-port 70000', '--http-port must be a whole number from 0 to 65535; received "70000"'],
  [
    'simulate --listen 0.0.0.0',
    '--listen must be a loopback address, unless --tls or --allow-insecure is set',
  ],
  ['simulate --accounts ,', '--accounts must be names separated by commas; received none'],
  [
    'simulate --algorithms md5',
    'item 1 of --algorithms must be "HMAC-SHA1" or "HMAC-SHA256"; received "md5"',
  ],
  [
    'simulate --scenario lifecycle',
    '--scenario must be none, lifecycles, lifecycles-forever, or a JSON file such as ./morning.json; received "lifecycle". Did you mean "lifecycles"?',
  ],
  [
    'simulate --rate-limit 5',
    '--rate-limit must be requests per duration, such as 10/30s, or off; received "5"',
  ],
  ['simulate --tls-key x', '--tls-key must be given together with --tls-cert'],
  [
    'simulate state',
    'BROKERWIRE_CONTROL_URL and BROKERWIRE_CONTROL_TOKEN must be set. Paste the lines that `brokerwire simulate` prints into this terminal',
  ],
]

test.each(WRONG)('%s', async (line, message) => {
  const { status, out, err } = await run(line.split(' '), { env })
  const [sentence = '', ...more] = err
  expect({ status, sentence: sentence.replace(WITH_LIBRARY, '') }).toEqual({ status: 2, sentence: message })
  expect(more.filter((one) => one !== '(--help shows the options)')).toEqual([])
  expect([...out, ...err].join('\n')).not.toContain(SECRET)
})

test.each([
  ['BROKERWIRE_REGION', 'eu', 'must be "hk" or "us"; received "eu"'],
  ['BROKERWIRE_BASE_URL', 'foo', `${ORIGIN} a string that is no URL`],
  ['BROKERWIRE_MAX_CLOCK_OFFSET', '5', `${duration('3650 days')} "5"`],
])('a wrong value in %s is reported with the variable', async (variable, value, message) => {
  const { status, err } = await run(['token', 'status'], { env: { ...env, [variable]: value } })
  expect({ status, err }).toEqual({ status: 2, err: [`CLI_OPTION_INVALID: ${variable} ${message}`] })
})

test('a wrong value in a profile is reported with its key', async () => {
  const { HOME, ...others } = { HOME: '/nowhere', ...env, BROKERWIRE_REGION: '' }
  const config = { format: 1, profiles: { default: { region: 'eu' } } }
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'brokerwire'))
  await writeFile(join(folder, 'brokerwire', 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const { err } = await run(['token', 'status'], { env: { ...others, HOME, XDG_CONFIG_HOME: folder } })
  expect(err).toEqual([
    'CLI_OPTION_INVALID: region in the profile default must be "hk" or "us"; received "eu"',
  ])
})

test('a message does not show long text, because it may be a secret', async () => {
  const long = 'x'.repeat(40)
  const { err } = await run(['doctor', '--region', long], { env })
  expect(err).toEqual(['CLI_OPTION_INVALID: --region must be "hk" or "us"; received a string'])
})
