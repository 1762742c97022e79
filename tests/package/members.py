"""User models that other projects have: what their app ``people`` says in models.py."""

from tests.package.hosts import snippet

_MANAGER = """
import uuid
from django.contrib.auth.models import AbstractBaseUser, AbstractUser, BaseUserManager, PermissionsMixin
from django.db import models


class Manager(BaseUserManager):
    def get_by_natural_key(self, name):
        return self.get(**{f"{self.model.USERNAME_FIELD}__iexact": name})

    def create_user(self, password=None, **columns):
        made = self.model(**columns)
        made.set_password(password)
        made.save()
        return made

    def create_superuser(self, password=None, **columns):
        return self.create_user(password, is_staff=True, is_superuser=True, **columns)
"""
# The one of docs/install.md, named by addresses, with UUIDs; and a table of another name.
BY_EMAIL = (
    snippet("models.py")
    + """
    class Meta:
        db_table = "site people"
"""
)
# Named by a nickname in any case, with texts as keys that addresses have to escape, and NULL for no address.
BY_NICKNAME = f"""{_MANAGER}

def new_key():
    return f"m_41:{{uuid.uuid4().hex}}/x y"


class Member(AbstractBaseUser, PermissionsMixin):
    code = models.CharField(primary_key=True, max_length=60, default=new_key)
    nickname = models.CharField(max_length=40, unique=True)
    email = models.EmailField(null=True, blank=True)
    full_name = models.CharField(max_length=80)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    last_login = None
    people = Manager()
    USERNAME_FIELD = "nickname"
    REQUIRED_FIELDS = ["full_name"]
"""
# As Django's documents advise for every new project, with one column more.
AS_DJANGOS = """
from django.contrib.auth.models import AbstractUser
from django.db import models


class Member(AbstractUser):
    full_name = models.CharField(max_length=80, blank=True)
"""
LACKING = """
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models


class Member(AbstractBaseUser):
    email = models.EmailField(unique=True)
    objects = BaseUserManager()
    USERNAME_FIELD = "email"
"""
MODELS = {"uuid-email": BY_EMAIL, "text-nickname": BY_NICKNAME, "as-djangos": AS_DJANGOS}
