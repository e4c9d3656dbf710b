/** Messages for invalid options that new users tried. No message shows a secret. */
import { expect, test } from 'vitest'
import { startSimulator } from './index.ts'

const SECRET = 'a-secret-that-no-message-shows'

test.each<[string, unknown, string]>([
  ['null', null, 'options must be an object; received null'],
  ['a name', 'sandbox', 'options must be an object; received a string'],
  [
    'a misspelled option',
    { enviroment: 'sandbox' },
    'unknown option "enviroment". Did you mean "environment"?',
  ],
  [
    'another environment',
    { environment: 'prod' },
    'environment must be "sandbox" or "production"; received "prod"',
  ],
  ['upper case', { region: 'US' }, 'region must be "hk" or "us"; received "US". Did you mean "us"?'],
  ['another region', { region: 'eu' }, 'region must be "hk" or "us"; received "eu"'],
  ['a seed as text', { seed: '1' }, 'seed must be a whole number from 0 to 4294967295; received a string'],
  [
    'a port beyond the last one',
    { httpPort: 70_000 },
    'httpPort must be a whole number from 0 to 65535; received 70000',
  ],
  [
    'another word for a shared port',
    { moduleEventsPort: 'same' },
    'moduleEventsPort must be "shared" or a whole number from 0 to 65535; received "same"',
  ],
  ['a clock with only now()', { clock: Date }, 'clock.setTimer must be a function; received undefined'],
  ['an app key with a space', { appKey: 'my key' }, 'appKey must be printable ASCII without spaces'],
  [
    'an app key as it was read from a file',
    { appKey: 'key\n' },
    'appKey must be printable ASCII without spaces; received text with a line end at its end',
  ],
  [
    'an empty secret',
    { appSecret: '' },
    'appSecret must be a non-empty string or a Secret; received an empty string',
  ],
  [
    'a secret as it was read from a file',
    { appSecret: `${SECRET}\n` },
    'appSecret must be without white space at its ends; received text with a line end at its end',
  ],
  [
    'one account as text',
    { accounts: 'A' },
    'accounts must be a non-empty array of non-empty strings; received a string',
  ],
  [
    'a duplicate account',
    { accounts: ['A', 'A'] },
    'accounts must be a list of different names; received a duplicate name',
  ],
  ['symbols as text', { symbols: 'AAPL' }, 'symbols must be a non-empty array of symbols; received a string'],
  [
    'a misspelled field of a symbol',
    { symbols: [{ symbl: 'A' }] },
    'unknown option "symbols[0].symbl". Did you mean "symbol"?',
  ],
  ['tls: true', { tls: true }, 'tls must be an object with key, cert; received true'],
  ['tls without its parts', { tls: {} }, 'missing options: tls.key, tls.cert'],
  [
    'a value that is not a key',
    { tls: { key: SECRET, cert: 'c' } },
    'tls must be a key and its certificate, both in PEM; received other strings',
  ],
  [
    'a host name to listen on',
    { listen: 'localhost' },
    'listen must be an IP address such as "127.0.0.1"; received a string',
  ],
  [
    'clear text beyond this machine',
    { listen: '0.0.0.0' },
    'listen must be a loopback address, unless tls or allowInsecure: true is set',
  ],
  ['yes for true', { control: 'yes' }, 'control must be true or false; received a string'],
  [
    'a state file without a name',
    { stateFile: '' },
    'stateFile must be a non-empty string without NUL characters; received an empty string',
  ],
  [
    'a shorter name',
    { secondFactor: 'auto' },
    'secondFactor must be "manual" or "automatic"; received "auto"',
  ],
  [
    'a duration as text',
    { verificationWindowMs: '5m' },
    'verificationWindowMs must be a whole number from 1 to 864000000000; received a string',
  ],
  [
    'rateLimit: 0',
    { rateLimit: 0 },
    'rateLimit must be false or an object with requests, windowMs, clientRequests or clientWindowMs; received 0',
  ],
  [
    'a misspelled part of the rate limit',
    { rateLimit: { request: 1 } },
    'unknown option "rateLimit.request". Did you mean "requests"?',
  ],
  [
    'an algorithm by half its name',
    { algorithms: ['SHA1'] },
    'algorithms[0] must be "HMAC-SHA1" or "HMAC-SHA256"; received "SHA1". Did you mean "HMAC-SHA1"?',
  ],
  [
    'no connections',
    { maxConnections: 0 },
    'maxConnections must be a whole number from 1 to 1000000; received 0',
  ],
  [
    'oneTradeSubscription: 1',
    { oneTradeSubscription: 1 },
    'oneTradeSubscription must be true or false; received 1',
  ],
  ['quotes as text', { quotes: 'yes' }, 'quotes must be true, false or an object; received a string'],
  [
    'a port of market data without its kind',
    { quotes: { port: 1 } },
    'unknown option "quotes.port". Did you mean "mqttPort"?',
  ],
  [
    'a misspelled scenario',
    { scenario: 'lifecycle' },
    'scenario must be "lifecycles" or "lifecycles-forever"; received "lifecycle". Did you mean "lifecycles"?',
  ],
  [
    'the JSON of a scenario',
    { scenario: { steps: [] } },
    'scenario must be the name of a scenario or an iterable of steps; received an object. ' +
      'Use readScenarioFile() for a scenario in JSON',
  ],
  ['no apps', { apps: [] }, 'apps must be an array of 1 to 1000 apps; received an empty array'],
  [
    'a misspelled option of an app',
    { apps: [{ nam: 'a' }] },
    'unknown option "apps[0].nam". Did you mean "name"?',
  ],
  [
    'a key next to apps',
    { appKey: 'k', apps: [{}] },
    'appKey must not be set together with apps; set apps[0].appKey',
  ],
  [
    'a duplicate name',
    { apps: [{ name: 'a' }, { name: 'a' }] },
    'apps[1].name must be different for each app; received that of apps[0]',
  ],
  [
    'a region of an app',
    { apps: [{}, { region: 'eu' }] },
    'apps[1].region must be "hk" or "us"; received "eu"',
  ],
])('of a simulator: %s', async (_, options, message) => {
  const error: unknown = await startSimulator(options as never).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'SIMULATOR_OPTION_INVALID', message })
  expect(String(error)).not.toContain(SECRET)
})
