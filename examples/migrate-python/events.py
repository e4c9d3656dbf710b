"""Prints the events of orders and positions, with the official Python client."""

import os

from webull.trade.trade_events_client import TradeEventsClient


def follow(client, accounts):
    def on_event(event_type, subscribe_type, payload, message):
        print(event_type, payload.get("symbol"), payload.get("order_status"), flush=True)

    client.on_events_message = on_event
    client.do_subscribe(accounts)


if __name__ == "__main__":
    events = TradeEventsClient(os.environ["APP_KEY"], os.environ["APP_SECRET"], "us")
    follow(events, os.environ["ACCOUNTS"].split(","))
