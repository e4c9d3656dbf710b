/** The process that is killed: a simulator with a state file, which says where it is once it serves. */
import { startSimulator } from '@brokerwire/simulator'

const simulator = await startSimulator({
  stateFile: process.argv[2],
  environment: 'sandbox',
  rateLimit: false,
  control: true,
})
const { httpUrl, eventsUrl, moduleEventsUrl, controlUrl, controlToken, credentials } = simulator
const { appKey, appSecret } = credentials
process.stdout.write(
  `${JSON.stringify({
    httpUrl,
    eventsUrl,
    moduleEventsUrl,
    controlUrl,
    controlToken: controlToken.reveal(),
    appKey,
    appSecret: appSecret.reveal(),
  })}\n`,
)
