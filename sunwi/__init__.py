"""The command `sunwi`, in a checkout or an installed package. The apps are separate packages."""
