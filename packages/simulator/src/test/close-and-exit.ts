/**
 * Starts a simulator, opens a stream and closes. The process ends by itself only if no resource stays open.
 */
import { connect } from 'node:http2'
import { startSimulator } from '../index.ts'

const simulator = await startSimulator({ scenario: 'lifecycles-forever', pingIntervalMs: 1000 })
const session = connect(simulator.eventsUrl)
session.on('error', () => undefined)
await new Promise<void>((resolve) => session.once('connect', () => resolve()))
const stream = session.request({ ':method': 'POST', ':path': '/grpc.trade.event.EventService/Subscribe' })
stream.on('error', () => undefined)
await simulator.close()
process.stdout.write('closed with a stream open\n')
