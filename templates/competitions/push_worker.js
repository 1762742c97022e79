{% load static %}// Shows messages of the site, and opens the page that one is about. It caches nothing and answers no requests.

self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  const shown = { body: told.body, tag: told.tag, icon: "{% static 'img/icon.svg' %}", data: told.url };
  event.waitUntil(self.registration.showNotification(told.title || "Sunwi", shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(new URL(event.notification.data || "/", self.location.origin).href));
});
