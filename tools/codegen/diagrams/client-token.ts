/** The diagram of a client-token pair. */
import type { Layout } from './svg.ts'

export const CLIENT_TOKEN: Layout = {
  title: 'States of a stored client-token pair, and the events that change them',
  width: 720,
  height: 250,
  boxes: [
    { title: 'none', states: ['none'], at: [50, 40, 90, 56] },
    { title: 'fresh', states: ['fresh'], at: [240, 40, 120, 56], look: 'usable' },
    { title: 'due', states: ['due'], at: [570, 40, 110, 56], look: 'usable' },
    { title: 'expired', states: ['expired'], at: [306, 174, 112, 52], look: 'ended' },
  ],
  arrows: [
    {
      from: 'none',
      to: 'fresh',
      on: ['created'],
      path: 'M140 68H240',
      label: { lines: ['created'], at: [190, 61] },
    },
    {
      from: 'fresh',
      to: 'due',
      on: ['time'],
      path: 'M360 56H570',
      label: { lines: ['80 % of the lifetime, or 30 s', 'after a failed refresh'], at: [465, 32] },
    },
    {
      from: 'due',
      to: 'fresh',
      on: ['created', 'refreshed', 'refresh-failed'],
      path: 'M570 80H360',
      label: { lines: ['refreshed, created,', 'or the refresh failed'], at: [465, 97] },
    },
    {
      from: 'fresh',
      to: 'expired',
      on: ['time'],
      path: 'M270 96V190Q270 200 280 200H306',
      label: { lines: ['refresh token', 'past its expiry'], at: [262, 150], anchor: 'end' },
    },
    {
      from: 'expired',
      to: 'fresh',
      on: ['created'],
      path: 'M330 174V96',
      label: { lines: ['created'], at: [338, 140], anchor: 'start' },
    },
    {
      from: 'due',
      to: 'expired',
      on: ['refresh-rejected', 'time'],
      path: 'M625 96V190Q625 200 615 200H418',
      label: {
        lines: ['refresh rejected, or', 'refresh token past its expiry'],
        at: [617, 168],
        anchor: 'end',
      },
    },
  ],
}
