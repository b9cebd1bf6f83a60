#!/usr/bin/with-contenv bashio
# Starts the three services on the broker of the MQTT integration. The address has a password: it is in the environment.
set -euo pipefail

scheme=mqtt
if bashio::var.true "$(bashio::services mqtt ssl)"; then scheme=mqtts; fi
# What the Supervisor makes has letters and digits only; anything else is escaped as in a URL.
escaped() { jq -rn --arg text "$1" '$text | @uri'; }
STRIDEBUS_BROKER="$scheme://$(escaped "$(bashio::services mqtt username)"):$(escaped "$(bashio::services mqtt password)")"
STRIDEBUS_BROKER+="@$(bashio::services mqtt host):$(bashio::services mqtt port)"
export STRIDEBUS_BROKER STRIDEBUS_DATA=/data/stridebus
STRIDEBUS_ROOT=$(bashio::config root)
STRIDEBUS_ZONE=$(bashio::config zone)
export STRIDEBUS_ROOT STRIDEBUS_ZONE
if bashio::config.true discovery; then export STRIDEBUS_HOME_ASSISTANT=homeassistant; fi
# Home Assistant has restored the add-on: its backups have the checked copy, and not the files that were being written.
if [[ ! -e /data/stridebus && -e /data/backups ]]; then stridebus restore /data/backups; fi
exec stridebus up
