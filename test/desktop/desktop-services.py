#!/usr/bin/python3
"""A desktop's notification service and tray watcher for the tests. What they are told goes to standard output, a line of
JSON each; the first line says that they are ready. Commands, over D-Bus:

  gdbus call --session -d app.earshot.TestDesk -o /desk -m app.earshot.TestDesk.Menu     the tray's menu, with its ids
  … .Tray   .Told   .Click <id>   .Activate   .Invoke <notification> <action>
"""
import json

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
PROPERTIES = 'org.freedesktop.DBus.Properties'
ITEM = 'org.kde.StatusNotifierItem'
MENU = 'com.canonical.dbusmenu'


def plain(value):
    if isinstance(value, (list, tuple)):
        return f'{len(value)} bytes' if len(value) > 200 else [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else str(value)


told = []


def tell(kind, **details):
    told.append({'kind': kind, **plain(details)})
    print(json.dumps(told[-1]), flush=True)


class Notifications(dbus.service.Object):
    NAME = 'org.freedesktop.Notifications'
    count = 0

    @dbus.service.method(NAME, in_signature='susssasa{sv}i', out_signature='u')
    def Notify(self, app, replaced, icon, summary, body, actions, hints, timeout):
        Notifications.count += 1
        number = replaced or Notifications.count
        tell('notification', id=number, app=app, icon=icon, title=summary, body=body, hints=list(hints))
        return dbus.UInt32(number)

    @dbus.service.method(NAME, out_signature='as')
    def GetCapabilities(self):
        return ['actions', 'body', 'body-markup', 'icon-static', 'persistence']

    @dbus.service.method(NAME, out_signature='ssss')
    def GetServerInformation(self):
        return ('test', 'test', '1', '1.2')

    @dbus.service.method(NAME, in_signature='u')
    def CloseNotification(self, number):
        tell('notification-closed', id=number)

    @dbus.service.signal(NAME, signature='us')
    def ActionInvoked(self, number, action):
        pass


class Watcher(dbus.service.Object):
    NAME = 'org.kde.StatusNotifierWatcher'
    last = None

    @dbus.service.method(NAME, in_signature='s', sender_keyword='sender')
    def RegisterStatusNotifierItem(self, service, sender=None):
        Watcher.last = (sender, service) if service.startswith('/') else (service, '/StatusNotifierItem')
        self.StatusNotifierItemRegistered(service)
        tell('tray')

    @dbus.service.signal(NAME, signature='s')
    def StatusNotifierItemRegistered(self, service):
        pass

    @dbus.service.method(PROPERTIES, in_signature='ss', out_signature='v')
    def Get(self, interface, name):
        values = {'IsStatusNotifierHostRegistered': True, 'ProtocolVersion': 0}
        return values.get(name, dbus.Array([], 's'))

    @dbus.service.method(PROPERTIES, in_signature='s', out_signature='a{sv}')
    def GetAll(self, interface):
        return {'IsStatusNotifierHostRegistered': True}


class Desk(dbus.service.Object):
    NAME = 'app.earshot.TestDesk'

    def item(self):
        service, path = Watcher.last
        return service, bus.get_object(service, path)

    def menu(self):
        service, item = self.item()
        return bus.get_object(service, item.Get(ITEM, 'Menu', dbus_interface=PROPERTIES))

    @dbus.service.method(NAME, out_signature='s')
    def Tray(self):
        return json.dumps(plain(self.item()[1].GetAll(ITEM, dbus_interface=PROPERTIES)))

    @dbus.service.method(NAME, out_signature='s')
    def Menu(self):
        _, layout = self.menu().GetLayout(0, -1, dbus.Array([], 's'), dbus_interface=MENU)
        return json.dumps(plain(layout))

    @dbus.service.method(NAME, out_signature='s')
    def Told(self):
        return json.dumps(told)

    @dbus.service.method(NAME, in_signature='i')
    def Click(self, entry):
        self.menu().Event(entry, 'clicked', dbus.Int32(0, variant_level=1), 0, dbus_interface=MENU)

    @dbus.service.method(NAME)
    def Activate(self):
        self.item()[1].Activate(0, 0, dbus_interface=ITEM)

    @dbus.service.method(NAME, in_signature='us')
    def Invoke(self, number, action):
        notifications.ActionInvoked(number, action)


names = [dbus.service.BusName(each.NAME, bus) for each in (Notifications, Watcher, Desk)]
notifications = Notifications(bus, '/org/freedesktop/Notifications')
watcher = Watcher(bus, '/StatusNotifierWatcher')
desk = Desk(bus, '/desk')
tell('ready')
GLib.MainLoop().run()
