/** Metrics of a relay. The name of an app is chosen in the configuration, so it may be an attribute. */
import { GaugeStates, GaugeValues, type Instruments } from './instruments.ts'
import type { RelayAppSource, RelayTelemetry } from './reports.ts'

const attributesOf = ({ app }: RelayAppSource) => ({ 'brokerwire.relay.app': app })

export function relayTelemetry(instruments: Instruments): RelayTelemetry {
  const sequences = new GaugeValues(instruments.relayLastSequence)
  const backpressure = new GaugeValues(instruments.relayBackpressure)
  const members = new GaugeValues(instruments.relayMembers)
  const apps = new GaugeStates(instruments.relayAppState)
  const tokens = new GaugeStates(instruments.relayTokenState)
  return {
    onRelayStored(report) {
      const attributes = attributesOf(report)
      const { app, messages, bytes, sequence, receiveLagMs, storeLagMs } = report
      instruments.relayMessages.add(messages, attributes)
      instruments.relayIo.add(bytes, attributes)
      if (receiveLagMs !== undefined)
        instruments.relayReceiveLag.record(Math.max(0, receiveLagMs) / 1000, attributes)
      if (storeLagMs !== undefined)
        instruments.relayStoreLag.record(Math.max(0, storeLagMs) / 1000, attributes)
      sequences.set(app, attributes, () => sequence)
    },
    onRelayDuplicates: (report) => instruments.relayDuplicates.add(report.events, attributesOf(report)),
    onRelayBackpressure(report) {
      const { app, isPaused, bytes } = report
      backpressure.set(app, attributesOf(report), () => (isPaused ? bytes : 0))
    },
    onRelayOversized: (report) => instruments.relayOversized.add(1, attributesOf(report)),
    onRelaySinkWait: (report) => instruments.relayWaits.add(1, attributesOf(report)),
    onRelayNotice(report) {
      instruments.relayNotices.add(1, {
        ...attributesOf(report),
        'brokerwire.relay.subscription': report.subscription,
        'brokerwire.notice.kind': report.notice.kind,
      })
    },
    onRelayTakeover(report) {
      const previous = report.isReleased ? 'released' : 'lost'
      instruments.relayTakeovers.add(1, { ...attributesOf(report), 'brokerwire.relay.previous': previous })
    },
    onRelayStoreFailed: () => instruments.relayStoreFailures.add(1),
    onRelayMembers: ({ members: names }) => members.set('', {}, () => names.length),
    onRelayApp: (report) => apps.set(report.app, attributesOf(report), report.state),
    onRelayMembershipLost: () => instruments.relayMembershipLost.add(1),
    onRelayToken: (report) => tokens.set(report.app, attributesOf(report), report.state),
  }
}
